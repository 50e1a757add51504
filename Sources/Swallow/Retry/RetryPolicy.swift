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
    public static let never = RetryPolicy(fields: nil)

    /// Sends an idempotent request up to two more times after status 408, 429, 502, 503 or 504, a failed connection or
    /// a timeout of the data source. All uses of this policy share a budget. ``init()`` creates a policy with its own.
    public static let standard = RetryPolicy()

    private var fields: Box?

    /// Creates a policy like ``standard`` with its own budget.
    public init() {
        fields = Box(Fields())
    }

    private init(fields: Box?) {
        self.fields = fields
    }

    /// The maximum number of retries, apart from those of ``offlineLimit``. It is 2 in ``standard`` and 0 in ``never``.
    public var maximumRetries: Int {
        get { fields?.fields.maximumRetries ?? 0 }
        set { change { $0.maximumRetries = newValue } }
    }

    /// The methods that may be sent again. By default, these are the idempotent methods (RFC 9110 §9.2.2).
    public var methods: Set<Request.Method> {
        get { current.methods }
        set { change { $0.methods = newValue } }
    }

    /// The statuses after which a request may be sent again. The default is 408, 429, 502, 503 and 504.
    public var statusCodes: StatusCodes {
        get { current.statusCodes }
        set { change { $0.statusCodes = newValue } }
    }

    /// The errors of the transport after which a request may be sent again. By default, these are a missing network, a
    /// failed or lost connection, a host name that wasn't found, and the data source's own timeout.
    public var transportErrors: Set<URLError.Code> {
        get { current.transportErrors }
        set { change { $0.transportErrors = newValue } }
    }

    /// The delays between attempts, before jitter shortens them. By default 0.5 s, doubled each time, up to 20 s.
    public var backoff: Backoff {
        get { current.backoff }
        set { change { $0.backoff = newValue } }
    }

    /// The range of the random factor for delays, so that clients don't retry at the same time. The default is `0...1`,
    /// which is full jitter. The bounds are clamped to `0...1`.
    public var jitter: ClosedRange<Double> {
        get { current.jitter }
        set { change { $0.jitter = newValue } }
    }

    /// The longest delay that a `Retry-After` field (RFC 9110 §10.2.3) may request, by default 60 s.
    /// Without ``decide``, a longer delay prevents the retry, and a shorter one is the minimum delay.
    public var retryAfterLimit: Duration {
        get { current.retryAfterLimit }
        set { change { $0.retryAfterLimit = newValue } }
    }

    /// The limit for the retries of all tasks of this policy together, for each server. `nil` if there is no limit, as in
    /// ``never``.
    public var budget: Budget? {
        get { current.budget }
        set { change { $0.budget = newValue } }
    }

    /// The maximum total time that a task waits for the network or a server, without the attempts. Zero by default.
    /// While it waits, it sends the request again with backoff and without jitter. These retries don't count toward
    /// ``maximumRetries``. They take from the ``budget`` only if a server may have refused or closed the connection.
    public var offlineLimit: Duration {
        get { current.offlineLimit }
        set { change { $0.offlineLimit = newValue } }
    }

    /// The closure that decides about each retry, within ``maximumRetries``, ``offlineLimit`` and ``budget``. `nil` by
    /// default. It receives an attempt, successful or not, with the delay that the other properties propose. It returns
    /// the delay before the next attempt, or `nil` if this was the last one. It can also retry a request that the other
    /// properties don't retry, for example a POST that isn't in ``methods``. Called on any thread.
    public var decide: (@Sendable (Attempt) -> Duration?)? {
        get { current.decide }
        set { change { $0.decide = newValue } }
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

    fileprivate struct Fields: Sendable {
        var maximumRetries = 2
        var methods: Set<Request.Method> = [.GET, .HEAD, .OPTIONS, .PUT, .DELETE, "TRACE"]
        var statusCodes: StatusCodes = [408, 429, 502, 503, 504]
        var transportErrors: Set<URLError.Code> = [
            .networkConnectionLost, .notConnectedToInternet, .cannotConnectToHost, .cannotFindHost,
            .dnsLookupFailed, .timedOut,
        ]
        var backoff = Backoff()
        var jitter = 0.0...1.0
        var retryAfterLimit = Duration.seconds(60)
        var offlineLimit = Duration.zero
        var budget: Budget? = Budget()
        var decide: (@Sendable (Attempt) -> Duration?)?
        var sendsIdempotencyKey = false
    }

    /// A class, so that a policy takes one word in each request, and `.never` needs no further memory.
    private final class Box: Sendable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    var sendsIdempotencyKey: Bool { fields?.fields.sendsIdempotencyKey ?? false }

    mutating func sendKeys() {
        change { fields in
            fields.sendsIdempotencyKey = true
            fields.methods.formUnion([.POST, .PATCH])
        }
    }

    private var current: Fields { fields?.fields ?? Fields(maximumRetries: 0, budget: nil) }

    private mutating func change(_ change: (inout Fields) -> Void) {
        var changed = current
        change(&changed)
        fields = Box(changed)
    }
}

extension RetryPolicy {
    var isInUse: Bool {
        fields.map { $0.fields.maximumRetries > 0 || $0.fields.offlineLimit > .zero } ?? false
    }

    func takes(_ status: Int) -> Bool {
        fields.map { $0.fields.decide == nil && !$0.fields.statusCodes.contains(status) } ?? true
    }

    func noteSuccess(from url: URL?) {
        fields?.fields.budget?.putBack(for: url)
    }

    func isOffline(after attempt: Attempt) -> Bool { current.isOffline(after: attempt) }

    /// Returns the delay before the next attempt, or `nil` if there is none. Takes from the budget or adds to it.
    func delay(
        after attempt: Attempt, canBeSentAgain: @autoclosure () -> Bool, now: @autoclosure () -> Date,
        random: (ClosedRange<Double>) -> Double = { .random(in: $0) }, mayDelay: (Duration) -> Bool
    ) -> Duration? {
        guard let fields = fields?.fields else { return nil }
        var delay = fields.delay(after: attempt, now: now(), random: random)
        if let decide = fields.decide {
            var attempt = attempt
            attempt.proposedDelay = delay
            delay = decide(attempt)
        }
        guard let delay else {
            if let status = attempt.response?.statusCode, status < 500, !fields.statusCodes.contains(status) {
                fields.budget?.putBack(for: attempt.request.url)
            }
            return nil
        }
        let isOffline = fields.isOffline(after: attempt)
        guard isOffline || attempt.retries - attempt.offlineRetries < fields.maximumRetries, canBeSentAgain(),
            mayDelay(delay)
        else {
            return nil
        }
        // If the failed attempt can't have reached a server, its retry takes no token.
        if isOffline, !fields.mayHaveReachedServer(attempt) { return max(.zero, delay) }
        return fields.budget?.take(for: attempt.request.url) ?? true ? max(.zero, delay) : nil
    }
}

extension RetryPolicy.Fields {
    fileprivate func hasReachedNothing(_ attempt: RetryPolicy.Attempt) -> Bool {
        offlineLimit > .zero && attempt.response == nil
            && RetryPolicy.offlineErrors.contains((attempt.error as? URLError)?.code ?? .unknown)
    }

    fileprivate func isOffline(after attempt: RetryPolicy.Attempt) -> Bool {
        hasReachedNothing(attempt) && timeOffline(attempt) < offlineLimit
    }

    private func timeOffline(_ attempt: RetryPolicy.Attempt) -> Duration {
        (0..<attempt.offlineRetries).reduce(.zero) { $0 + backoff.delay(after: $1) }
    }

    fileprivate func mayHaveReachedServer(_ attempt: RetryPolicy.Attempt) -> Bool {
        let code = (attempt.error as? URLError)?.code
        return code == .cannotConnectToHost || code == .networkConnectionLost
    }

    fileprivate func delay(
        after attempt: RetryPolicy.Attempt, now: @autoclosure () -> Date,
        random: (ClosedRange<Double>) -> Double
    ) -> Duration? {
        let counted = attempt.retries - attempt.offlineRetries
        if hasReachedNothing(attempt) {
            guard methods.contains(Request.Method(rawValue: attempt.request.httpMethod ?? "GET")) else {
                return nil
            }
            let left = offlineLimit - timeOffline(attempt)
            return left > .zero ? min(backoff.delay(after: attempt.offlineRetries), left) : nil
        }
        guard counted < maximumRetries else { return nil }
        if let response = attempt.response {
            guard statusCodes.contains(response.statusCode) else { return nil }
        } else {
            guard let error = attempt.error as? URLError, transportErrors.contains(error.code) else {
                return nil
            }
        }
        guard methods.contains(Request.Method(rawValue: attempt.request.httpMethod ?? "GET")) else {
            return nil
        }
        let longest = backoff.delay(after: counted)
        let delay = Duration(clamping: longest.seconds * random(jitter.clamped(to: 0...1)))
        guard let field = attempt.response?.value(forHTTPHeaderField: "Retry-After"),
            let demand = RetryAfter.delay(field, now: now())
        else { return delay }
        return demand > retryAfterLimit ? nil : max(delay, demand)
    }
}
