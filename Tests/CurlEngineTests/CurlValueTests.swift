import Foundation
import SwallowLock
import TestSupport
import Testing

@testable import CurlEngine

#if os(Linux) && canImport(Glibc)
    @Suite("What pauses a transfer of libcurl's")
    struct CurlPausesTests {
        @Test("The time without a byte counts only while nothing is paused")
        func limit() {
            var pauses = CurlPauses(100, idleLimit: 50)
            #expect(pauses.limit == 150)
            pauses.noteActivity(120)
            #expect(pauses.limit == 170)
            pauses.pause()
            #expect(pauses.limit == CurlClock.never && pauses.holdsEvents)
            pauses.resume()
            pauses.fill()
            #expect(pauses.limit == CurlClock.never && pauses.holdsEvents)
            pauses.resume()
            #expect(pauses.limit == 170 && !pauses.holdsEvents)
            pauses.awaitBody()
            #expect(pauses.limit == CurlClock.never && !pauses.holdsEvents)
            pauses.endAwaitingBody()
            #expect(pauses.limit == 170)
        }

        @Test(
            "A decision about a head takes as long as it takes, and bytes are received until there are enough"
        )
        func answer() {
            var pauses = CurlPauses(100, idleLimit: 50)
            pauses.awaitAnswer()
            #expect(pauses.limit == CurlClock.never && pauses.holdsEvents && !pauses.holdsReceived)
            pauses.fill()
            #expect(pauses.holdsReceived)
            pauses.endAwaitingAnswer()
            #expect(pauses.limit == 150 && !pauses.holdsEvents && !pauses.holdsReceived)
        }

        @Test("A body that is too long for memory waits 0.2 s for a claim, even during a pause")
        func claim() {
            var pauses = CurlPauses(100, idleLimit: 50)
            pauses.awaitClaim(120)
            pauses.pause()
            #expect(pauses.awaitsClaim && pauses.limit == 200_000_120)
            pauses.endAwaitingClaim()
            pauses.resume()
            #expect(!pauses.awaitsClaim && !pauses.holdsReceived && pauses.limit == 150)
        }

        @Test("libcurl is told only what has changed")
        func mask() {
            var pauses = CurlPauses()
            #expect(pauses.takeMask() == nil)
            pauses.pause()
            #expect(pauses.takeMask() == CurlSignal.pauseReceiving | CurlSignal.pauseSending)
            #expect(pauses.takeMask() == nil)
            pauses.resume()
            pauses.fill()
            #expect(pauses.takeMask() == CurlSignal.pauseReceiving)
            // The callback's return value has told libcurl.
            pauses.awaitBody()
            #expect(pauses.takeMask() == nil)
            pauses.resume()
            pauses.endAwaitingBody()
            #expect(pauses.takeMask() == CurlSignal.proceed)
        }
    }

    @Suite("The workers of a CurlDataSource's loop")
    struct CurlWorkersTests {
        private let calls = Recorder<Void>()
        private let done = Recorder<Int>()
        private let gate = DispatchSemaphore(value: 0)

        @Test("Blocked threads have the loop called once for all jobs that wait, and its help does them")
        func blocked() async {
            let workers = CurlWorkers { [calls] in calls.append(()) }
            let width = max(2, ProcessInfo.processInfo.activeProcessorCount)
            let begun = Recorder<Void>()
            for _ in 0..<width {
                workers.async { [gate] in
                    begun.append(())
                    gate.wait()
                }
            }
            _ = await begun.first(width)
            // All jobs have begun.
            #expect(!workers.help(CurlClock.now))
            let first = calls.values.count
            for round in 1...2 {
                for number in 0..<3 { workers.async { [done] in done.append(number) } }
                #expect(calls.values.count == first + round)
                _ = workers.help(CurlClock.now + 1_000_000_000)
                #expect(await done.first(3 * round).count == 3 * round)
                // A thread that was made for the jobs may have yet to begin.
                while workers.help(CurlClock.now) { await Task.yield() }
            }
            for _ in 0..<width { gate.signal() }
            workers.close()
        }

        @Test(
            "Jobs run although the system refuses each thread, and later ones on a thread once it allows one")
        func refusedThread() async {
            let (isRefused, started) = (Lock(true), Recorder<Void>())
            let workers = CurlWorkers {
            } startThread: { body in
                if isRefused.withLock({ $0 }) { throw POSIXError(.EAGAIN) }
                started.append(())
                try DetachedThread.start(body)
            }
            for number in 0..<3 { workers.async { [done] in done.append(number) } }
            #expect(await done.first(3).sorted() == [0, 1, 2])
            isRefused.withLock { $0 = false }
            workers.async { [done] in done.append(3) }
            #expect(started.values.count == 1)
            #expect(await done.first(4).last == 3)
            workers.close()
        }
    }
#endif
