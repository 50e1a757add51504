#if os(Linux) && canImport(Glibc)
    struct CurlPauses {
        private(set) var isPaused = false
        private(set) var isFull = false
        private(set) var isYielding = false
        private(set) var awaitsBody = false
        private(set) var awaitsAnswer = false
        private var claimLimit: UInt64?
        private var mask: Int32 = 0
        private var lastActivity = CurlClock.never
        private var idleLimit = CurlClock.never
        private var tunnel = Tunnel.none

        private enum Tunnel { case none, requested, open }

        private static let claimTime: UInt64 = 200_000_000

        init() {}

        init(_ now: UInt64, idleLimit: UInt64, isTunnel: Bool = false) {
            (lastActivity, self.idleLimit) = (now, idleLimit)
            tunnel = isTunnel ? .requested : .none
        }

        var isOpenTunnel: Bool { if case .open = tunnel { true } else { false } }

        /// A pause of a tunnel stops only its reading, because the reader of its messages pauses it. It has no timeout.
        mutating func receiveHead(status: Int) {
            if case .requested = tunnel { tunnel = status == 101 ? .open : .none }
        }

        var holdsSent: Bool { isPaused && !isOpenTunnel }

        var holdsReceived: Bool { isPaused || isFull || isYielding || awaitsClaim }

        var holdsEvents: Bool { isPaused || isFull || awaitsAnswer }

        var awaitsClaim: Bool { claimLimit != nil }

        mutating func noteActivity(_ now: UInt64) { lastActivity = now }

        var limit: UInt64 {
            if let claimLimit { return claimLimit }
            let waits =
                switch tunnel {
                case .none: holdsReceived || awaitsBody || awaitsAnswer
                case .requested: holdsReceived || awaitsAnswer
                case .open: true
                }
            return waits ? CurlClock.never : CurlClock.moment(lastActivity, after: idleLimit)
        }

        var idleFailure: EngineFailure {
            .transport(.timedOut, "no byte arrived for \(Double(idleLimit) / 1e9) seconds")
        }

        mutating func pause() { isPaused = true }
        mutating func resume() { (isPaused, isFull) = (false, false) }
        mutating func fill() { isFull = true }
        mutating func yield() { isYielding = true }
        mutating func endYield() { isYielding = false }
        mutating func awaitAnswer() { awaitsAnswer = true }
        mutating func endAwaitingAnswer() { (awaitsAnswer, isFull) = (false, false) }

        mutating func awaitClaim(_ now: UInt64) {
            claimLimit = CurlClock.moment(now, after: Self.claimTime)
        }

        mutating func endAwaitingClaim() { claimLimit = nil }

        mutating func awaitBody() {
            awaitsBody = true
            mask |= CurlSignal.pauseSending
        }

        mutating func endAwaitingBody() { awaitsBody = false }

        mutating func takeMask() -> Int32? {
            let receiving = holdsReceived ? CurlSignal.pauseReceiving : CurlSignal.proceed
            let sending = holdsSent || awaitsBody ? CurlSignal.pauseSending : CurlSignal.proceed
            guard mask != receiving | sending else { return nil }
            mask = receiving | sending
            return mask
        }
    }
#endif
