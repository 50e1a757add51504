#if os(Linux) && canImport(Glibc)
    /// Why a transfer pauses, and when its time is over if it doesn't. libcurl has one mask for both directions, which
    /// is changed on the loop's thread only.
    struct CurlPauses {
        /// Whether `pause()` was called.
        private(set) var isPaused = false
        /// Whether the owner accepts no more body parts for now, or enough has been received before its decision.
        private(set) var isFull = false
        /// Whether other transfers have to have their turn on the loop's thread first.
        private(set) var isYielding = false
        /// Whether the next bytes of the request's body aren't there yet.
        private(set) var awaitsBody = false
        /// Whether the owner has yet to decide about the head.
        private(set) var awaitsAnswer = false
        /// Until when the owner may ask for the parts of a body that is too long for memory. `nil` if the body isn't too
        /// long, or the owner has asked.
        private var claimLimit: UInt64?
        /// The mask that libcurl has.
        private var mask: Int32 = 0
        private var lastActivity = CurlClock.never
        /// The most time that may pass without a byte.
        private var idleLimit = CurlClock.never

        /// How long a body that is too long for memory may still be claimed, in nanoseconds.
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

        /// Notes that a byte has arrived, or that libcurl was told to continue.
        mutating func noteActivity(_ now: UInt64) { lastActivity = now }

        /// The moment at which the transfer has taken too long. Time during which it pauses doesn't count.
        var limit: UInt64 {
            if let claimLimit { return claimLimit }
            return holdsReceived || awaitsBody || awaitsAnswer
                ? CurlClock.never : CurlClock.moment(lastActivity, after: idleLimit)
        }

        /// The failure of a transfer for which no byte came for too long.
        var idleFailure: EngineFailure {
            .transport(.timedOut, "no byte came for \(Double(idleLimit) / 1e9) seconds")
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

        /// Pauses sending by the return value of the read callback, which libcurl notes by itself.
        mutating func awaitBody() {
            awaitsBody = true
            mask |= CurlSignal.pauseSending
        }

        /// The request's body continues, or isn't wanted any more.
        mutating func endAwaitingBody() { awaitsBody = false }

        /// Takes the mask to set in libcurl. `nil` if it hasn't changed.
        mutating func takeMask() -> Int32? {
            let receiving = holdsReceived ? CurlSignal.pauseReceiving : CurlSignal.proceed
            let sending = isPaused || awaitsBody ? CurlSignal.pauseSending : CurlSignal.proceed
            guard mask != receiving | sending else { return nil }
            mask = receiving | sending
            return mask
        }
    }
#endif
