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
#endif
