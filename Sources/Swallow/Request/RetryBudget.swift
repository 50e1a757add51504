import Foundation

extension RetryPolicy {
    /// How much all tasks of a policy may be sent again together, so that an outage isn't made worse: a token bucket for each
    /// server, so that one that is down doesn't use up what the others have.
    ///
    /// Each retry takes a token, each success puts a part of one back. While nothing succeeds there are at most `limit`
    /// retries, however many tasks fail: with 100, an outage of 1 000 tasks costs the server 1 100 requests at most, which is
    /// (1 + 0.1) times theirs. After that `refill` is the part of the successes that may be tried again.
    ///
    /// A server is an origin: scheme, host and port of the request's URL.
    public final class Budget: Sendable {
        /// How many tokens there are for a server at first, and at most.
        let limit: Double
        /// How much of a token a success puts back.
        let refill: Double

        /// The tokens left for each server whose bucket isn't full.
        private let tokens = Lock<[Origin?: Double]>([:])
        /// How many such servers are remembered. Beyond that, buckets are forgotten, and so full again.
        private static let capacity = 1000

        /// Makes full buckets; of 100 retries by default, and of one more for each 10 successes.
        public init(limit: Double = 100, refill: Double = 0.1) {
            self.limit = limit
            self.refill = refill
        }

        /// Takes a token; false where there is no whole one.
        func take(for url: URL?) -> Bool {
            let origin = url.flatMap(Origin.init)
            return tokens.withLock { tokens in
                let left = tokens[origin] ?? limit
                // What tenths add up to is not quite a whole.
                guard left > 1 - 1e-9 else { return false }
                if tokens.count == Self.capacity, tokens[origin] == nil { _ = tokens.popFirst() }
                tokens[origin] = left - 1
                return true
            }
        }

        func putBack(for url: URL?) {
            // An origin costs 1 µs, which most successes needn't pay.
            if tokens.withLock({ $0.isEmpty }) { return }
            let origin = url.flatMap(Origin.init)
            tokens.withLock { tokens in
                guard let left = tokens[origin] else { return }
                tokens[origin] = left + refill < limit ? left + refill : nil
            }
        }
    }
}
