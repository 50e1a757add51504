#if os(Linux) && canImport(Glibc)
    /// The reasons why a transfer pauses, and its deadline. libcurl has one mask for both directions.
    struct CurlPauses {
        private(set) var isPaused = false
        /// Whether the owner accepts no more body parts for now, or has yet to decide about a head with many bytes.
        private(set) var isFull = false
        private(set) var isYielding = false
        private(set) var awaitsBody = false
        private(set) var awaitsAnswer = false
        /// The deadline for the owner to request the parts of a body that is too long for memory.
        private var claimLimit: UInt64?
        private var mask: Int32 = 0
        private var lastActivity = CurlClock.never
        private var idleLimit = CurlClock.never

        private static let claimTime: UInt64 = 200_000_000

        init() {}

        init(_ now: UInt64, idleLimit: UInt64) {
            (lastActivity, self.idleLimit) = (now, idleLimit)
        }

        /// Whether libcurl must receive nothing.
        var holdsReceived: Bool { isPaused || isFull || isYielding || awaitsClaim }

        /// Whether no event may be delivered.
        var holdsEvents: Bool { isPaused || isFull || awaitsAnswer }

        var awaitsClaim: Bool { claimLimit != nil }

        mutating func noteActivity(_ now: UInt64) { lastActivity = now }

        /// The deadline of the transfer. Time during which the transfer pauses doesn't count.
        var limit: UInt64 {
            if let claimLimit { return claimLimit }
            return holdsReceived || awaitsBody || awaitsAnswer
                ? CurlClock.never : CurlClock.moment(lastActivity, after: idleLimit)
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

        /// Pauses sending. The read callback returns `CurlSignal.pause`, and libcurl then updates its mask itself.
        mutating func awaitBody() {
            awaitsBody = true
            mask |= CurlSignal.pauseSending
        }

        mutating func endAwaitingBody() { awaitsBody = false }

        mutating func takeMask() -> Int32? {
            let receiving = holdsReceived ? CurlSignal.pauseReceiving : CurlSignal.proceed
            let sending = isPaused || awaitsBody ? CurlSignal.pauseSending : CurlSignal.proceed
            guard mask != receiving | sending else { return nil }
            mask = receiving | sending
            return mask
        }
    }
#endif
