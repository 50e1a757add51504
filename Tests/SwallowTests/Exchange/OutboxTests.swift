import Foundation
import TestSupport
import Testing

import Swallow

@Suite("A data task's outbox")
struct OutboxTests {
    private let jobs = Lock<[@Sendable () -> Void]>([])
    private let calls = Lock<[String]>([])

    /// An outbox whose deliveries run when the test says so.
    private func outbox() -> Outbox<Void> {
        let outbox = Outbox(
            (), run: { [jobs] job in jobs.withLock { $0.append(job) } },
            { [calls] _, _, _ in calls.withLock { $0.append("end") } })
        outbox.change(isOwnCall: true) { [calls] in
            _ = $1.stream { part in
                if case .bytes(let bytes) = part {
                    calls.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
                }
            }
        }
        return outbox
    }

    private func add(_ text: String, to outbox: Outbox<Void>, isOwnCall: Bool = true) {
        outbox.change(isOwnCall: isOwnCall) { $1.add(.bytes(Data(text.utf8))) }
    }

    /// Runs what is scheduled, and says what was called until now.
    private func run() -> [String] {
        for job in jobs.withLock({ jobs in
            defer { jobs = [] }; return jobs
        }) { job() }
        return calls.withLock { $0 }
    }

    @Test("However many parts come inside a function of the task's own, one delivery is scheduled")
    func scheduledOnce() {
        let outbox = outbox()
        for text in ["a", "b", "c"] { add(text, to: outbox) }
        #expect(jobs.withLock { $0.count } == 1 && calls.withLock { $0.isEmpty })
        #expect(run() == ["a", "b", "c"])
        outbox.change(isOwnCall: true) { $1.end(with: .failure(URLError(.unknown))) }
        #expect(run() == ["a", "b", "c", "end"])
    }

    @Test("A delivery that runs while the task is suspended brings nothing, and the next one does")
    func suspended() {
        let outbox = outbox()
        add("a", to: outbox)
        outbox.change(isOwnCall: true) { $1.suspend() }
        #expect(run() == [])
        outbox.change(isOwnCall: true) { $1.resume() }
        #expect(run() == ["a"])
    }

    @Test("A thread that brings a part before a delivery runs makes the calls itself")
    func overtaken() {
        let outbox = outbox()
        add("a", to: outbox)
        add("b", to: outbox, isOwnCall: false)
        #expect(calls.withLock { $0 } == ["a", "b"])
        #expect(run() == ["a", "b"])
        add("c", to: outbox)
        #expect(run() == ["a", "b", "c"])
    }
}
