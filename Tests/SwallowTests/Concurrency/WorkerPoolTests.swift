import Foundation
import TestSupport
import Testing

@testable import Swallow

@Suite("The worker pool")
struct WorkerPoolTests {
    private let done = Recorder<Int>()
    private let begun = Recorder<Void>()
    private let gate = DispatchSemaphore(value: 0)

    /// Adds jobs that block until `free(_:)`.
    private func block(_ pool: WorkerPool, _ count: Int) {
        for _ in 0..<count {
            pool.async { [begun, gate] in
                begun.append(())
                gate.wait()
            }
        }
    }

    private func free(_ count: Int) {
        for _ in 0..<count { gate.signal() }
    }

    @Test("Jobs run although each thread is blocked")
    func blocked() async {
        let pool = WorkerPool()
        block(pool, WorkerPool.width)
        _ = await begun.first(WorkerPool.width)
        for number in 0..<3 { pool.async { [done] in done.append(number) } }
        #expect(await done.first(3).sorted() == [0, 1, 2])
        free(WorkerPool.width)
    }

    @Test("A timeout fires although each thread is blocked, and the pool starts no more threads for jobs")
    func timers() async {
        let pool = WorkerPool(limit: WorkerPool.width)
        block(pool, 2 * WorkerPool.width)
        _ = await begun.first(WorkerPool.width)
        let timers = Timers(pool)
        for number in 0..<3 {
            _ = timers.schedule(after: .milliseconds(1)) { [done] in done.append(number) }
            #expect(await done.first(number + 1).last == number)
        }
        #expect(begun.values.count == WorkerPool.width)
        free(2 * WorkerPool.width)
        _ = await begun.first(2 * WorkerPool.width)
    }

    @Test("Timers' actions that block delay no other timer")
    func blockedTimers() async {
        let timers = Timers(WorkerPool(limit: WorkerPool.width))
        for _ in 0..<2 * WorkerPool.width {
            _ = timers.schedule(after: .zero) { [gate] in gate.wait() }
        }
        _ = timers.schedule(after: .milliseconds(1)) { [done] in done.append(0) }
        #expect(await done.first(1) == [0])
        free(2 * WorkerPool.width)
    }

    @Test("Jobs run although the system refuses each thread, and later ones on a thread once it allows one")
    func refusedThread() async {
        let (isRefused, started) = (Lock(true), Recorder<Void>())
        let pool = WorkerPool { body in
            if isRefused.withLock({ $0 }) { throw POSIXError(.EAGAIN) }
            started.append(())
            try WorkerPool.detachThread(body)
        }
        for number in 0..<3 { pool.async { [done] in done.append(number) } }
        #expect(await done.first(3).sorted() == [0, 1, 2])
        isRefused.withLock { $0 = false }
        pool.async { [done] in done.append(3) }
        #expect(await done.first(4).last == 3)
        #expect(started.values.count == 1)
    }
}
