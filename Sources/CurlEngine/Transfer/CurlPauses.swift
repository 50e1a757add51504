#if os(Linux) && canImport(Glibc)
    import SwallowLock

    struct CurlPauses {
        /// The owner's pause. In an open tunnel, `.all` doesn't stop sending.
        var ownerPause = TransferPause.none
        /// Whether the bytes that arrived before the owner's answer to the head fill a body part.
        private var isBufferFull = false
        private var isYielding = false
        private(set) var awaitsBody = false
        private var head = Head.settled
        private var sinkDeadline: UInt64?
        private var pauseBits: Int32 = 0
        private var lastActivity: UInt64
        private let idleTimeout: UInt64
        private var tunnel: Tunnel

        private enum Tunnel { case none, requested, open }
        /// `undelivered`: the head arrived during a pause. `undecided`: the owner has received it, and decides later.
        /// `settled`: no head waits for its delivery or for the owner's decision.
        private enum Head { case undelivered, undecided, settled }

        private static let sinkTimeout: UInt64 = 200_000_000

        init(_ now: UInt64, idleTimeout: UInt64, isTunnel: Bool = false) {
            (lastActivity, self.idleTimeout) = (now, idleTimeout)
            tunnel = isTunnel ? .requested : .none
        }

        var isOpenTunnel: Bool { if case .open = tunnel { true } else { false } }

        /// Opens the tunnel after a 101. An open tunnel has no idle timeout, and a pause stops only its receiving side.
        mutating func receiveHead(status: Int) {
            if case .requested = tunnel { tunnel = status == 101 ? .open : .none }
        }

        var holdsSent: Bool { ownerPause == .all && !isOpenTunnel }

        var refusesBody: Bool { ownerPause != .none || isBufferFull }

        var pausesReceiving: Bool { refusesBody || isYielding || awaitsSink }

        var pausesEvents: Bool { ownerPause != .none || hasUnansweredHead }

        var hasUnansweredHead: Bool { head != .settled }
        var awaitsSink: Bool { sinkDeadline != nil }

        mutating func noteActivity(_ now: UInt64) { lastActivity = now }

        var deadline: UInt64 {
            if let sinkDeadline { return sinkDeadline }
            let waits =
                switch tunnel {
                case .none: pausesReceiving || awaitsBody || hasUnansweredHead
                case .requested: pausesReceiving || hasUnansweredHead
                case .open: true
                }
            return waits ? CurlClock.never : CurlClock.moment(lastActivity, after: idleTimeout)
        }

        var idleFailure: EngineFailure {
            .transport(.timedOut, "no byte arrived for \(Double(idleTimeout) / 1e9) seconds")
        }

        mutating func fillBuffer() { isBufferFull = true }
        mutating func yield() { isYielding = true }
        mutating func endYield() { isYielding = false }
        mutating func holdHead() { head = .undelivered }

        mutating func takeHeldHead() -> Bool {
            guard head == .undelivered else { return false }
            settleHead()
            return true
        }

        mutating func awaitDecision() { head = .undecided }
        mutating func settleHead() { (head, isBufferFull) = (.settled, false) }

        mutating func awaitSink(_ now: UInt64) {
            sinkDeadline = CurlClock.moment(now, after: Self.sinkTimeout)
        }

        mutating func endAwaitingSink() { sinkDeadline = nil }

        mutating func awaitBody() {
            awaitsBody = true
            pauseBits |= CurlSignal.pauseSending
        }

        mutating func endAwaitingBody() { awaitsBody = false }

        mutating func takePauseBits() -> Int32? {
            let receiving = pausesReceiving ? CurlSignal.pauseReceiving : CurlSignal.proceed
            let sending = holdsSent || awaitsBody ? CurlSignal.pauseSending : CurlSignal.proceed
            guard pauseBits != receiving | sending else { return nil }
            pauseBits = receiving | sending
            return pauseBits
        }
    }
#endif
