#if os(Linux) && canImport(Glibc)
    /// The reasons why a transfer pauses, and its deadline while it doesn't pause. libcurl has one mask for both
    /// directions. Only the loop's thread changes the mask.
    struct CurlPauses {
        /// Whether `pause()` was called.
        private(set) var isPaused = false
        /// Whether the owner accepts no more body parts for now, or enough bytes have arrived before its decision about
        /// the head.
        private(set) var isFull = false
        /// Whether other transfers have their turn on the loop's thread first.
        private(set) var isYielding = false
        /// Whether the next bytes of the request's body aren't available yet.
        private(set) var awaitsBody = false
        /// Whether the owner has yet to decide about the head.
        private(set) var awaitsAnswer = false
        /// The deadline for the owner to request body parts of a body that is too long for memory. `nil` if the body
        /// isn't too long, or if the owner has requested body parts.
        private var claimLimit: UInt64?
        /// libcurl's current mask.
        private var mask: Int32 = 0
        private var lastActivity = CurlClock.never
        /// The most time that may pass without a byte.
        private var idleLimit = CurlClock.never

        /// How long the owner may take to request body parts of a body that is too long for memory, in nanoseconds.
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

        /// Records that a byte was transferred, or that libcurl continues.
        mutating func noteActivity(_ now: UInt64) { lastActivity = now }

        /// The deadline of the transfer. Time during which the transfer pauses doesn't count.
        var limit: UInt64 {
            if let claimLimit { return claimLimit }
            return holdsReceived || awaitsBody || awaitsAnswer
                ? CurlClock.never : CurlClock.moment(lastActivity, after: idleLimit)
        }

        /// The failure of a transfer that transferred no byte for too long.
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

        /// Stops waiting for the request's body, which continues or is no longer wanted.
        mutating func endAwaitingBody() { awaitsBody = false }

        /// Returns the mask to set in libcurl, or `nil` if the mask hasn't changed.
        mutating func takeMask() -> Int32? {
            let receiving = holdsReceived ? CurlSignal.pauseReceiving : CurlSignal.proceed
            let sending = isPaused || awaitsBody ? CurlSignal.pauseSending : CurlSignal.proceed
            guard mask != receiving | sending else { return nil }
            mask = receiving | sending
            return mask
        }
    }
#endif
