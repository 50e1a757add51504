#if os(Linux) && canImport(Glibc)
    struct CurlPauses {
        private(set) var isPaused = false
        private(set) var isFull = false
        private(set) var isYielding = false
        private(set) var awaitsBody = false
        private var head = Head.none
        private var sinkDeadline: UInt64?
        private var pauseBits: Int32 = 0
        private var lastActivity = CurlClock.never
        private var idleTimeout = CurlClock.never
        private var tunnel = Tunnel.none

        private enum Tunnel { case none, requested, open }
        /// `undelivered`: the head arrived during a pause. `undecided`: the owner has received it, and decides later.
        private enum Head { case none, undelivered, undecided }

        private static let sinkTimeout: UInt64 = 200_000_000

        init() {}

        init(_ now: UInt64, idleTimeout: UInt64, isTunnel: Bool = false) {
            (lastActivity, self.idleTimeout) = (now, idleTimeout)
            tunnel = isTunnel ? .requested : .none
        }

        var isOpenTunnel: Bool { if case .open = tunnel { true } else { false } }

        /// Opens the tunnel after a 101. An open tunnel has no idle timeout, and a pause stops only its receiving side.
        mutating func receiveHead(status: Int) {
            if case .requested = tunnel { tunnel = status == 101 ? .open : .none }
        }

        var holdsSent: Bool { isPaused && !isOpenTunnel }

        var pausesReceiving: Bool { isPaused || isFull || isYielding || awaitsSink }

        var pausesEvents: Bool { isPaused || isFull || awaitsAnswer }

        var awaitsAnswer: Bool { head != .none }
        var awaitsSink: Bool { sinkDeadline != nil }

        mutating func noteActivity(_ now: UInt64) { lastActivity = now }

        var deadline: UInt64 {
            if let sinkDeadline { return sinkDeadline }
            let waits =
                switch tunnel {
                case .none: pausesReceiving || awaitsBody || awaitsAnswer
                case .requested: pausesReceiving || awaitsAnswer
                case .open: true
                }
            return waits ? CurlClock.never : CurlClock.moment(lastActivity, after: idleTimeout)
        }

        var idleFailure: EngineFailure {
            .transport(.timedOut, "no byte arrived for \(Double(idleTimeout) / 1e9) seconds")
        }

        mutating func pause() { isPaused = true }
        mutating func resume() { (isPaused, isFull) = (false, false) }
        mutating func fill() { isFull = true }
        mutating func yield() { isYielding = true }
        mutating func endYield() { isYielding = false }
        mutating func holdHead() { head = .undelivered }

        mutating func takeHeldHead() -> Bool {
            guard head == .undelivered else { return false }
            endAwaitingAnswer()
            return true
        }

        mutating func awaitAnswer() { head = .undecided }
        mutating func endAwaitingAnswer() { (head, isFull) = (.none, false) }

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
