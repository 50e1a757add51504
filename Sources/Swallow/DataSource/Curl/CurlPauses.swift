#if os(Linux) && canImport(Glibc)
    /// Why a transfer pauses, and when its time is over if it doesn't. libcurl has one mask for both directions,
    /// changed on the loop's thread only.
    struct CurlPauses {
        /// By `suspend()`.
        private(set) var isSuspended = false
        /// As long as parts wait to be taken.
        private(set) var isFull = false
        /// Until others have had their turn on the loop's thread.
        private(set) var isYielding = false
        /// As long as the next bytes of the request's body aren't there.
        private(set) var awaitsBody = false
        /// Until when a task may claim a body that is too long for memory; nil where it isn't, or was claimed.
        private var claimLimit: UInt64?
        /// The mask that libcurl has.
        private var mask: Int32 = 0
        private var lastActivity = CurlClock.never
        /// The most time that may pass without a byte.
        private var idleLimit = CurlClock.never

        init() {}

        init(_ now: UInt64, idleLimit: UInt64) {
            (lastActivity, self.idleLimit) = (now, idleLimit)
        }

        /// Whether bytes that came are kept as they are.
        var holdsReceived: Bool { isSuspended || isFull || isYielding || awaitsClaim }

        var awaitsClaim: Bool { claimLimit != nil }

        /// Notes a byte, or that libcurl was told to go on.
        mutating func noteActivity(_ now: UInt64) { lastActivity = now }

        /// The moment at which it has taken too long; the time that it pauses doesn't count.
        var limit: UInt64 {
            if let claimLimit { return claimLimit }
            return holdsReceived || awaitsBody
                ? CurlClock.never : CurlClock.moment(lastActivity, after: idleLimit)
        }

        /// The failure of a transfer for which no byte came for too long.
        var idleFailure: CurlFailure {
            .refused(.timedOut, "no byte came for \(Double(idleLimit) / 1e9) seconds")
        }

        mutating func suspend() { isSuspended = true }

        /// Goes on.
        ///
        /// - Parameters:
        ///   - isFull: whether parts wait to be taken.
        ///   - canSend: whether the request's body goes on, or isn't wanted any more.
        mutating func proceed(isFull: Bool, canSend: Bool) {
            isSuspended = false
            self.isFull = isFull
            if canSend { awaitsBody = false }
        }

        mutating func fill() { isFull = true }

        mutating func yield() { isYielding = true }

        mutating func endYield() { isYielding = false }

        /// Waits until a task claims the body.
        mutating func awaitClaim(_ now: UInt64) {
            claimLimit = CurlClock.moment(now, after: UInt64(ResponseSize.claimTime * 1e9))
        }

        mutating func claim() { claimLimit = nil }

        /// Pauses sending by what the read callback returns, which libcurl notes by itself.
        mutating func awaitBody() {
            awaitsBody = true
            mask |= CurlSignal.pauseSending
        }

        /// Takes the mask to set in libcurl; nil where it hasn't changed.
        mutating func takeMask() -> Int32? {
            let receiving = holdsReceived ? CurlSignal.pauseReceiving : CurlSignal.proceed
            let sending = isSuspended || awaitsBody ? CurlSignal.pauseSending : CurlSignal.proceed
            guard mask != receiving | sending else { return nil }
            mask = receiving | sending
            return mask
        }
    }
#endif
