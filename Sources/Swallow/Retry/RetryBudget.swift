import Foundation

extension RetryPolicy {
    /// A limit for the retries of all tasks of a policy together, so that retries don't make an outage worse. Each
    /// origin has a bucket of tokens. A retry takes a token, except as ``RetryPolicy/offlineLimit`` describes. A final
    /// response that needs no retry adds `refill` tokens if its status is below 500 and not in
    /// ``RetryPolicy/statusCodes``.
    public final class Budget: Sendable {
        let limit: Double
        let refill: Double

        private let tokens = Lock<[Origin?: Double]>([:])
        /// The maximum number of stored buckets. One more replaces another, whose origin then has a full bucket again.
        private static let capacity = 1000

        /// Creates a budget with full buckets. By default, a bucket has 100 tokens, and 10 successes add one token.
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
            if tokens.withLock({ $0.isEmpty }) { return }
            let origin = url.flatMap(Origin.init)
            tokens.withLock { tokens in
                guard let left = tokens[origin] else { return }
                tokens[origin] = left + refill < limit ? left + refill : nil
            }
        }
    }
}
