#if os(Linux) && canImport(Glibc)
    /// Why a transfer pauses; libcurl has one mask for both directions, changed on the loop's thread only.
    struct CurlPauses {
        /// By `suspend()`.
        var isSuspended = false
        /// As long as parts wait to be taken.
        var isFull = false
        /// As long as the next bytes of the request's body aren't there.
        var awaitsBody = false
        /// Until others have had their turn on the loop's thread.
        var isYielding = false
        /// Whether a task may still claim a body that is too long for memory.
        var awaitsClaim = false
        /// What libcurl was told.
        private(set) var mask: Int32 = 0

        /// Whether there is one: then the time without a byte doesn't count.
        var isAny: Bool { holdsReceived || awaitsBody }

        /// Whether bytes that came are kept as they are.
        var holdsReceived: Bool { isSuspended || isFull || isYielding || awaitsClaim }

        /// Pauses sending by what the read callback returns, which libcurl notes by itself.
        mutating func awaitBody() {
            awaitsBody = true
            mask |= CurlSignal.pauseSending
        }

        /// Takes the mask that libcurl is to have; nil where it has it.
        mutating func takeMask() -> Int32? {
            let receiving = holdsReceived ? CurlSignal.pauseReceiving : CurlSignal.proceed
            let sending = isSuspended || awaitsBody ? CurlSignal.pauseSending : CurlSignal.proceed
            guard mask != receiving | sending else { return nil }
            mask = receiving | sending
            return mask
        }
    }
#endif
