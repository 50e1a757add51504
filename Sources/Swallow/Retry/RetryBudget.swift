import Foundation

extension RetryPolicy {
    /// A limit for the retries of all tasks of a policy together, so that retries don't make an outage worse. It has a
    /// token bucket for each server, which is the origin (scheme, host and port) of the request's URL.
    ///
    /// Each retry takes a token, and each success adds `refill` tokens. While no request to a server succeeds, there
    /// are at most `limit` retries, no matter how many tasks fail.
    public final class Budget: Sendable {
        let limit: Double
        let refill: Double

        private let tokens = Lock<[Origin?: Double]>([:])
        /// Beyond this number of servers, the bucket of one server is removed, so it is full again at the next retry.
        private static let capacity = 1000

        /// Creates full buckets. By default, a bucket has 100 tokens, and 10 successes add one token.
        public init(limit: Double = 100, refill: Double = 0.1) {
            self.limit = limit
            self.refill = refill
        }

        func take(for url: URL?) -> Bool {
            let origin = url.flatMap(Origin.init)
            return tokens.withLock { tokens in
                let left = tokens[origin] ?? limit
                // In floating point, ten tenths aren't exactly 1.
                guard left > 1 - 1e-9 else { return false }
                if tokens.count == Self.capacity, tokens[origin] == nil { _ = tokens.popFirst() }
                tokens[origin] = left - 1
                return true
            }
        }

        func putBack(for url: URL?) {
            // Computing an origin costs 1 µs, which most successes can avoid.
            if tokens.withLock({ $0.isEmpty }) { return }
            let origin = url.flatMap(Origin.init)
            tokens.withLock { tokens in
                guard let left = tokens[origin] else { return }
                tokens[origin] = left + refill < limit ? left + refill : nil
            }
        }
    }
}
