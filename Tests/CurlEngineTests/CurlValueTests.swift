import Testing

@testable import CurlEngine

#if os(Linux) && canImport(Glibc)
    @Suite("Pauses of a libcurl transfer")
    struct CurlPausesTests {
        @Test("Time without a byte counts only while nothing is paused")
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
            "The idle timeout doesn't run during a decision about a head, and bytes are received until enough arrived"
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

        @Test("A tunnel's handshake has a timeout, and a pause of an open tunnel stops only reading")
        func tunnel() {
            var pauses = CurlPauses(100, idleLimit: 50, isTunnel: true)
            pauses.awaitBody()
            #expect(pauses.limit == 150)
            pauses.pause()
            #expect(pauses.holdsSent)
            pauses.receiveHead(status: 101)
            #expect(pauses.isOpenTunnel && !pauses.holdsSent && pauses.holdsReceived)
            pauses.resume()
            #expect(pauses.limit == CurlClock.never)
            var rejected = CurlPauses(100, idleLimit: 50, isTunnel: true)
            rejected.receiveHead(status: 401)
            rejected.pause()
            #expect(!rejected.isOpenTunnel && rejected.holdsSent)
        }

        @Test("A body that is too long for memory waits 0.2 s for a sink, even during a pause")
        func claim() {
            var pauses = CurlPauses(100, idleLimit: 50)
            pauses.awaitClaim(120)
            pauses.pause()
            #expect(pauses.awaitsClaim && pauses.limit == 200_000_120)
            pauses.endAwaitingClaim()
            pauses.resume()
            #expect(!pauses.awaitsClaim && !pauses.holdsReceived && pauses.limit == 150)
        }

        @Test("libcurl receives only the pauses that have changed")
        func mask() {
            var pauses = CurlPauses()
            #expect(pauses.takeMask() == nil)
            pauses.pause()
            #expect(pauses.takeMask() == CurlSignal.pauseReceiving | CurlSignal.pauseSending)
            #expect(pauses.takeMask() == nil)
            pauses.resume()
            pauses.fill()
            #expect(pauses.takeMask() == CurlSignal.pauseReceiving)
            // The return value of the callback has already paused libcurl.
            pauses.awaitBody()
            #expect(pauses.takeMask() == nil)
            pauses.resume()
            pauses.endAwaitingBody()
            #expect(pauses.takeMask() == CurlSignal.proceed)
        }
    }
#endif
