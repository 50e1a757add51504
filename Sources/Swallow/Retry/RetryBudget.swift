import Foundation

extension RetryPolicy {
    /// A limit for the retries of all tasks of a policy together, so that retries don't make an outage worse. It is a
    /// token bucket for each server, so a server that is down doesn't use up the retries of other servers.
    ///
    /// Each retry takes a token, and each success returns a fraction of a token. While no request succeeds, there are
    /// at most `limit` retries, no matter how many tasks fail. With a limit of 100, an outage with 1,000 tasks costs
    /// the server at most 1,100 requests, which is 1 + 0.1 times the number of tasks. After that, `refill` is the
    /// number of retries for each success.
    ///
    /// A server is an origin, which consists of the scheme, host and port of the request's URL.
    public final class Budget: Sendable {
        let limit: Double
        let refill: Double

        /// Only servers whose buckets aren't full have an entry.
        private let tokens = Lock<[Origin?: Double]>([:])
        /// Beyond this number, another server's bucket is removed and starts full again.
        private static let capacity = 1000

        /// Creates full buckets. By default, a bucket has 100 retries, and 10 successes return one retry.
        public init(limit: Double = 100, refill: Double = 0.1) {
            self.limit = limit
            self.refill = refill
        }

        func take(for url: URL?) -> Bool {
            let origin = url.flatMap(Origin.init)
            return tokens.withLock { tokens in
                let left = tokens[origin] ?? limit
                // The sum of tenths isn't exactly 1.
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
