import Foundation

/// The rules that determine which requests are sent again, how often, and after which delay.
///
/// ```swift
/// service.configure { $0.retry = .standard }
///
/// service.GET("/report", options: [.retry(.never)])
/// ```
///
/// A request is sent again only if its body can be sent again, and if its timeout leaves enough time for the delay.
/// After the head or a part of the body was delivered, only a download can be retried. Delays use the service's
/// ``WebService/clock``, and end immediately if the task is cancelled. Copies of a policy share its ``budget``.
public struct RetryPolicy: Sendable {
    /// Never retries. Under every policy, libcurl itself may repeat an idempotent request if a reused connection was
    /// closed before a byte of the response arrived. Since libcurl 7.80, ``TransferMetrics/attempts`` counts this.
    public static let never = RetryPolicy(maximumRetries: 0, budget: nil)

    /// Sends an idempotent request up to two more times after status 408, 429, 502, 503 or 504, a failed connection or
    /// a timeout of the data source. All uses of this policy share a budget. ``init()`` creates a policy with its own.
    public static let standard = RetryPolicy()

    /// The maximum number of retries, apart from those of ``offlineLimit``. It is 2 in ``standard`` and 0 in ``never``.
    public var maximumRetries = 2

    /// The methods that may be sent again. By default, these are the idempotent methods (RFC 9110 §9.2.2).
    public var methods: Set<Request.Method> = [.GET, .HEAD, .OPTIONS, .PUT, .DELETE, "TRACE"]

    /// The statuses after which a request may be sent again. The default is 408, 429, 502, 503 and 504.
    public var statusCodes: StatusCodes = [408, 429, 502, 503, 504]

    /// The errors of the transport after which a request may be sent again. By default, these are a missing network, a
    /// failed or lost connection, a host name that wasn't found, and the data source's own timeout.
    public var transportErrors: Set<URLError.Code> = [
        .networkConnectionLost, .notConnectedToInternet, .cannotConnectToHost, .cannotFindHost,
        .dnsLookupFailed, .timedOut,
    ]

    /// The delays between attempts, before jitter shortens them. By default 0.5 s, doubled each time, up to 20 s.
    public var backoff = Backoff()

    /// The range of the random factor for delays, so that clients don't retry at the same time. The default is `0...1`,
    /// which is full jitter. The bounds are clamped to `0...1`.
    public var jitter = 0.0...1.0

    /// The longest delay that a `Retry-After` field (RFC 9110 §10.2.3) may request, by default 60 s.
    /// Without ``decide``, a longer delay prevents the retry, and a shorter one is the minimum delay.
    public var retryAfterLimit = Duration.seconds(60)

    /// The limit for the retries of all tasks of this policy together, for each server. `nil` if there is no limit, as in
    /// ``never``.
    public var budget: Budget? = Budget()

    /// The maximum total time that a task waits for the network or a server, without the attempts. Zero by default.
    /// While it waits, it sends the request again with backoff and without jitter. These retries don't count toward
    /// ``maximumRetries``. They take from the ``budget`` only if a server may have refused or closed the connection.
    public var offlineLimit = Duration.zero

    /// The closure that decides about each retry, within ``maximumRetries``, ``offlineLimit`` and ``budget``. `nil` by
    /// default. It receives an attempt, successful or not, with the delay that the other properties propose. It returns
    /// the delay before the next attempt, or `nil` if this was the last one. It can also retry a request that the other
    /// properties don't retry, for example a POST that isn't in ``methods``. Called on any thread.
    public var decide: (@Sendable (Attempt) -> Duration?)?

    var sendsIdempotencyKey = false

    /// Creates a policy like ``standard`` with its own budget.
    public init() {}

    private init(maximumRetries: Int, budget: Budget?) {
        (self.maximumRetries, self.budget) = (maximumRetries, budget)
    }

    /// Returns a copy of the policy that also applies to POST and PATCH. Such requests receive an `Idempotency-Key`,
    /// which is a new UUID. If a server supports the field, it processes a repeated request only once.
    ///
    /// ```swift
    /// service.configure("/payments**") { $0.retry = .standard.withIdempotencyKey() }
    /// ```
    ///
    /// All attempts of a task have the same key. A key that the request already has stays unchanged. Set your own key
    /// if the app sends the same payment again after a restart.
    public func withIdempotencyKey() -> RetryPolicy {
        var policy = self
        policy.sendsIdempotencyKey = true
        policy.methods.formUnion([.POST, .PATCH])
        return policy
    }

    func addIdempotencyKey(to request: inout URLRequest) {
        guard sendsIdempotencyKey, request.httpMethod == "POST" || request.httpMethod == "PATCH",
            request.value(forHTTPHeaderField: "Idempotency-Key") == nil
        else { return }
        request.setValue(UUID().uuidString.lowercased(), forHTTPHeaderField: "Idempotency-Key")
    }
}

extension RetryPolicy {
    /// The growth of the delays between attempts.
    public struct Backoff: Sendable, Hashable {
        /// The delay before the first retry.
        public var first: Duration
        /// The factor that turns a delay into the next delay.
        public var factor: Double
        /// The longest delay, which is at most a hundred years.
        public var maximum: Duration

        /// Creates a backoff. By default, the first delay is 0.5 s, and each next delay is twice as long, up to 20 s.
        public init(
            first: Duration = .milliseconds(500), factor: Double = 2, maximum: Duration = .seconds(20)
        ) {
            self.first = first
            self.factor = factor
            self.maximum = maximum
        }

        func delay(after retries: Int) -> Duration {
            let limit = max(0, maximum.seconds)
            let seconds = max(0, first.seconds) * pow(max(0, factor), Double(retries))
            return Duration(clamping: seconds < limit ? seconds : limit)
        }
    }

    /// An attempt whose response's head has arrived, or whose transfer has failed.
    public struct Attempt: Sendable {
        /// The attempt's request, before redirects, and without the fields that an ``Authenticator`` adds.
        public let request: URLRequest
        /// The response's head, or `nil` if the transfer failed.
        public let response: HTTPURLResponse?
        /// The error of the transfer, or `nil` if it didn't fail.
        public let error: (any Error)?
        /// The number of retries before this attempt.
        public let retries: Int
        var offlineRetries = 0
        /// The delay that the policy's other properties propose, or `nil` if they propose no retry.
        public internal(set) var proposedDelay: Duration?
    }
}

extension RetryPolicy {
    var isInUse: Bool { maximumRetries > 0 || offlineLimit > .zero }

    func takes(_ status: Int) -> Bool { decide == nil && !statusCodes.contains(status) }

    func noteSuccess(from url: URL?) { budget?.putBack(for: url) }

    /// Returns the delay before the next attempt, or `nil` if there is none. Takes from the budget or adds to it.
    func delay(
        after attempt: Attempt, canBeSentAgain: @autoclosure () -> Bool, now: @autoclosure () -> Date,
        random: (ClosedRange<Double>) -> Double = { .random(in: $0) }, mayDelay: (Duration) -> Bool
    ) -> Duration? {
        var delay = proposedDelay(after: attempt, now: now(), random: random)
        if let decide {
            var attempt = attempt
            attempt.proposedDelay = delay
            delay = decide(attempt)
        }
        guard let delay else {
            if let status = attempt.response?.statusCode, status < 500, !statusCodes.contains(status) {
                budget?.putBack(for: attempt.request.url)
            }
            return nil
        }
        let isOffline = isOffline(after: attempt)
        guard isOffline || attempt.retries - attempt.offlineRetries < maximumRetries, canBeSentAgain(),
            mayDelay(delay)
        else {
            return nil
        }
        // If the failed attempt can't have reached a server, its retry takes no token.
        if isOffline, !mayHaveReachedServer(attempt) { return max(.zero, delay) }
        return budget?.take(for: attempt.request.url) ?? true ? max(.zero, delay) : nil
    }

    func isOffline(after attempt: Attempt) -> Bool {
        hasReachedNothing(attempt) && timeOffline(attempt) < offlineLimit
    }

    private func hasReachedNothing(_ attempt: Attempt) -> Bool {
        offlineLimit > .zero && attempt.response == nil
            && Self.offlineErrors.contains((attempt.error as? URLError)?.code ?? .unknown)
    }

    private func timeOffline(_ attempt: Attempt) -> Duration {
        (0..<attempt.offlineRetries).reduce(.zero) { $0 + backoff.delay(after: $1) }
    }

    private func mayHaveReachedServer(_ attempt: Attempt) -> Bool {
        let code = (attempt.error as? URLError)?.code
        return code == .cannotConnectToHost || code == .networkConnectionLost
    }

    private func proposedDelay(
        after attempt: Attempt, now: @autoclosure () -> Date, random: (ClosedRange<Double>) -> Double
    ) -> Duration? {
        guard methods.contains(Request.Method(rawValue: attempt.request.httpMethod ?? "GET")) else {
            return nil
        }
        if hasReachedNothing(attempt) {
            let left = offlineLimit - timeOffline(attempt)
            return left > .zero ? min(backoff.delay(after: attempt.offlineRetries), left) : nil
        }
        let counted = attempt.retries - attempt.offlineRetries
        guard counted < maximumRetries, retries(after: attempt) else { return nil }
        let longest = backoff.delay(after: counted)
        let delay = Duration(clamping: longest.seconds * random(jitter.clamped(to: 0...1)))
        guard let demand = attempt.response?.retryDelay(now: now()) else { return delay }
        return demand > retryAfterLimit ? nil : max(delay, demand)
    }

    private func retries(after attempt: Attempt) -> Bool {
        if let response = attempt.response { return statusCodes.contains(response.statusCode) }
        return (attempt.error as? URLError).map { transportErrors.contains($0.code) } ?? false
    }

    func words(aboutDelayIn response: HTTPURLResponse, now: @autoclosure () -> Date) -> String? {
        guard let delay = response.retryDelay(now: now()) else { return nil }
        let words = "the server requests a delay of \(delay) (Retry-After)"
        let isLimiting = isInUse && statusCodes.contains(response.statusCode) && delay > retryAfterLimit
        return isLimiting
            ? "\(words), which is more than the retry policy's limit of \(retryAfterLimit)" : words
    }
}
