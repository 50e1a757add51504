import SwallowLock
import Testing

@testable import CurlEngine

#if os(Linux) && canImport(Glibc)
    @Suite("Pauses of a libcurl transfer")
    struct CurlPausesTests {
        @Test("Time without a byte counts only while nothing is paused")
        func deadline() {
            var pauses = CurlPauses(100, idleTimeout: 50)
            #expect(pauses.deadline == 150)
            pauses.noteActivity(120)
            #expect(pauses.deadline == 170)
            pauses.ownerPause = .all
            #expect(pauses.deadline == CurlClock.never && pauses.pausesEvents)
            pauses.ownerPause = .receiving
            #expect(pauses.deadline == CurlClock.never && pauses.pausesEvents)
            pauses.ownerPause = .none
            #expect(pauses.deadline == 170 && !pauses.pausesEvents)
            pauses.awaitBody()
            #expect(pauses.deadline == CurlClock.never && !pauses.pausesEvents)
            pauses.endAwaitingBody()
            #expect(pauses.deadline == 170)
        }

        @Test(
            "The idle timeout doesn't run during a decision about a head, and bytes are received until enough arrived"
        )
        func answer() {
            var pauses = CurlPauses(100, idleTimeout: 50)
            pauses.awaitDecision()
            #expect(pauses.deadline == CurlClock.never && pauses.pausesEvents && !pauses.pausesReceiving)
            pauses.fillBuffer()
            #expect(pauses.pausesReceiving)
            pauses.ownerPause = .all
            pauses.ownerPause = .none
            #expect(pauses.pausesReceiving)
            pauses.settleHead()
            #expect(pauses.deadline == 150 && !pauses.pausesEvents && !pauses.pausesReceiving)
        }

        @Test("A tunnel's handshake has a timeout, and a pause of an open tunnel stops only reading")
        func tunnel() {
            var pauses = CurlPauses(100, idleTimeout: 50, isTunnel: true)
            pauses.awaitBody()
            #expect(pauses.deadline == 150)
            pauses.ownerPause = .all
            #expect(pauses.holdsSent)
            pauses.receiveHead(status: 101)
            #expect(pauses.isOpenTunnel && !pauses.holdsSent && pauses.pausesReceiving)
            pauses.ownerPause = .none
            #expect(pauses.deadline == CurlClock.never)
            var rejected = CurlPauses(100, idleTimeout: 50, isTunnel: true)
            rejected.receiveHead(status: 401)
            rejected.ownerPause = .all
            #expect(!rejected.isOpenTunnel && rejected.holdsSent)
        }

        @Test("A body that is too long for memory waits 0.2 s for a sink, even during a pause")
        func sink() {
            var pauses = CurlPauses(100, idleTimeout: 50)
            pauses.awaitSink(120)
            pauses.ownerPause = .all
            #expect(pauses.awaitsSink && pauses.deadline == 200_000_120)
            pauses.endAwaitingSink()
            pauses.ownerPause = .none
            #expect(!pauses.awaitsSink && !pauses.pausesReceiving && pauses.deadline == 150)
        }

        @Test("libcurl receives only the pauses that have changed")
        func mask() {
            var pauses = CurlPauses(0, idleTimeout: 1)
            #expect(pauses.takePauseBits() == nil)
            pauses.ownerPause = .all
            #expect(pauses.takePauseBits() == CurlSignal.pauseReceiving | CurlSignal.pauseSending)
            #expect(pauses.takePauseBits() == nil)
            pauses.ownerPause = .receiving
            #expect(pauses.takePauseBits() == CurlSignal.pauseReceiving)
            // The return value of the callback has already paused libcurl.
            pauses.awaitBody()
            #expect(pauses.takePauseBits() == nil)
            pauses.ownerPause = .none
            pauses.endAwaitingBody()
            #expect(pauses.takePauseBits() == CurlSignal.proceed)
        }
    }
#endif
