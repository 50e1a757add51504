extension RetryPolicy {
    /// How much all tasks of a policy may be sent again together, so that an outage isn't made worse: a token bucket.
    ///
    /// Each retry takes a token, each success puts a part of one back. While nothing succeeds there are at most ``limit``
    /// retries, however many tasks fail: with 100, an outage of 1 000 tasks costs the server 1 100 requests at most, which is
    /// (1 + 0.1) times theirs. After that ``refill`` is the part of the successes that may be tried again.
    public final class Budget: Sendable {
        /// How many tokens there are at first, and at most.
        public let limit: Double
        /// How much of a token a success puts back.
        public let refill: Double

        private let tokens: Lock<Double>

        /// Makes a full bucket; of 100 retries by default, and of one more for each 10 successes.
        public init(limit: Double = 100, refill: Double = 0.1) {
            self.limit = limit
            self.refill = refill
            tokens = Lock(limit)
        }

        /// Takes a token; false where there is no whole one.
        func take() -> Bool {
            tokens.withLock { tokens in
                // What tenths add up to is not quite a whole.
                guard tokens > 1 - 1e-9 else { return false }
                tokens -= 1
                return true
            }
        }

        func putBack() {
            tokens.withLock { $0 = min(limit, $0 + refill) }
        }
    }
}
