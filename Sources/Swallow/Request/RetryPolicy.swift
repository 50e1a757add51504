import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Which requests are sent again, how often, and after how long.
///
/// ```swift
/// service.configure { $0.retry = .standard }
///
/// service.GET("/report", options: [.retry(.never)])
/// ```
///
/// A request is sent again only if its body can be: one that is read from an `InputStream` of the app's own goes out once.
/// Once a response was accepted, its task never begins again; a download goes on with the rest instead. Waiting takes no
/// thread, goes by the service's ``WebService/clock``, ends at once when the task is cancelled, and is left out where the
/// request's timeout would be over by then. What the last attempt ends with is the task's outcome.
///
/// Copies of a policy share its ``budget``.
public struct RetryPolicy: Sendable {
    /// Sends each request once. Below it, libcurl repeats an idempotent request once where a kept connection turns out to be
    /// dead before a byte of the response has come; so it does for each attempt of any policy, and ``TransferMetrics/attempts``
    /// counts it.
    public static let never = RetryPolicy(fields: nil)

    /// Sends idempotent requests up to twice more, on the statuses 408, 429, 502, 503 and 504 and where the transport
    /// failed in a way that may pass. One for the process, so that all who use it share its budget, which each server
    /// has for itself; ``init()`` makes the same with a budget of its own.
    public static let standard = RetryPolicy()

    private var fields: Box?

    /// Makes a policy like ``standard``, with a budget of its own.
    public init() {
        fields = Box(Fields())
    }

    private init(fields: Box?) {
        self.fields = fields
    }

    /// How often a request is sent again, at most; 2 in ``standard``, 0 in ``never``.
    public var count: Int {
        get { fields?.fields.count ?? 0 }
        set { change { $0.count = newValue } }
    }

    /// The methods of requests that may be sent again; the idempotent ones of RFC 9110 §9.2.2 by default.
    public var methods: Set<Request.Method> {
        get { current.methods }
        set { change { $0.methods = newValue } }
    }

    /// The statuses that may pass; 408, 429, 502, 503 and 504 by default.
    public var statusCodes: StatusCodes {
        get { current.statusCodes }
        set { change { $0.statusCodes = newValue } }
    }

    /// The errors of a transport that may pass; by default those of a connection that was lost or couldn't be made,
    /// of a name that wasn't found, and the transport's own timeout.
    public var transportErrors: Set<URLError.Code> {
        get { current.transportErrors }
        set { change { $0.transportErrors = newValue } }
    }

    /// How long the waits are, before chance shortens them; 0.5 s, doubled each time, up to 20 s by default.
    public var backoff: Backoff {
        get { current.backoff }
        set { change { $0.backoff = newValue } }
    }

    /// The part of the back-off that is waited, by chance between two limits, so that clients that failed together don't
    /// come back together: `0...1`, full jitter, by default; `1...1` is none. Limits are clamped to `0...1`.
    public var jitter: ClosedRange<Double> {
        get { current.jitter }
        set { change { $0.jitter = newValue } }
    }

    /// The longest delay that a `Retry-After` field (RFC 9110 §10.2.3) may request; 60 s by default. If a response requests
    /// a longer delay, the request isn't sent again. The task then fails at once, and the error's text states the requested
    /// delay. A delay is never shorter than the field requests. A field that isn't a number or a date is ignored.
    public var retryAfterLimit: Duration {
        get { current.retryAfterLimit }
        set { change { $0.retryAfterLimit = newValue } }
    }

    /// How much all tasks of the policy may be sent to a server again together; nil is no limit.
    public var budget: Budget? {
        get { current.budget }
        set { change { $0.budget = newValue } }
    }

    /// How long a request waits in all, its attempts aside, where the network is gone; zero by default: such a
    /// failure is then like any other.
    ///
    /// Until that time is over, a request that has reached nothing is sent again with back-off, without counting
    /// towards ``count``. It takes from the ``budget`` only if a server may have refused or closed the connection.
    /// See ``whenOnline(within:)``.
    public var offlineLimit: Duration {
        get { current.offlineLimit }
        set { change { $0.offlineLimit = newValue } }
    }

    /// Decides what the other properties can't: gets each attempt, successful or not, with the wait that they propose, nil
    /// for none; returns the wait before the next attempt, or nil to take this one as the last. Count and budget, and
    /// whether the body can be sent again, are looked at all the same. Called on a queue of the data source's.
    public var decide: (@Sendable (Attempt) -> Duration?)? {
        get { current.decide }
        set { change { $0.decide = newValue } }
    }
}

extension RetryPolicy {
    /// How the waits between attempts grow.
    public struct Backoff: Sendable, Hashable {
        /// The wait before the second attempt.
        public var first: Duration
        /// How much longer each next wait is.
        public var factor: Double
        /// The longest wait; of more than a hundred years, a hundred.
        public var maximum: Duration

        /// Makes a back-off; by default of 0.5 s, twice as long each time, up to 20 s.
        public init(
            first: Duration = .milliseconds(500), factor: Double = 2, maximum: Duration = .seconds(20)
        ) {
            self.first = first
            self.factor = factor
            self.maximum = maximum
        }

        /// The wait after a number of retries.
        func wait(after retries: Int) -> Duration {
            let limit = max(0, maximum.seconds)
            let seconds = max(0, first.seconds) * pow(max(0, factor), Double(retries))
            return Duration(clamping: seconds < limit ? seconds : limit)
        }
    }

    /// An attempt that has its end, or the head of its response.
    public struct Attempt: Sendable {
        /// What was sent, without what an ``Authenticator`` adds.
        public let request: URLRequest
        /// The response's head, where one came.
        public let response: HTTPURLResponse?
        /// Why none came.
        public let error: (any Error)?
        /// How often the request was sent again before.
        public let retries: Int
        /// How often of these because nothing could be reached.
        var offlineRetries = 0
        /// The wait that the policy proposes; nil where it would not send again.
        public internal(set) var proposedWait: Duration?
    }

    fileprivate struct Fields: Sendable {
        var count = 2
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

    /// One word in each request, and nothing where nothing is tried again.
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

    private var current: Fields { fields?.fields ?? Fields(count: 0, budget: nil) }

    private mutating func change(_ change: (inout Fields) -> Void) {
        var changed = current
        change(&changed)
        fields = Box(changed)
    }
}

// MARK: - Deciding

extension RetryPolicy {
    /// Whether any request is sent again.
    var isInUse: Bool { fields.map { $0.fields.count > 0 || $0.fields.offlineLimit > .zero } ?? false }

    /// Whether an attempt with this status is the last one, without asking a closure of the app's.
    func takes(_ status: Int) -> Bool {
        fields.map { $0.fields.decide == nil && !$0.fields.statusCodes.contains(status) } ?? true
    }

    /// Puts back what a success is worth into the budget.
    func noteSuccess(from url: URL?) {
        fields?.fields.budget?.putBack(for: url)
    }

    /// Whether the network is waited for after an attempt, so that it doesn't count.
    func isOffline(after attempt: Attempt) -> Bool { current.isOffline(after: attempt) }

    /// The wait before the request is sent once more; nil where the attempt is the last. Takes what it costs from the
    /// budget, and puts back what a success is worth.
    ///
    /// - Parameter mayWait: whether there is time for a wait.
    func wait(
        after attempt: Attempt, canBeSentAgain: @autoclosure () -> Bool, now: @autoclosure () -> Date,
        random: (ClosedRange<Double>) -> Double = { .random(in: $0) }, mayWait: (Duration) -> Bool
    ) -> Duration? {
        guard let fields = fields?.fields else { return nil }
        var wait = fields.wait(after: attempt, now: now(), random: random)
        if let decide = fields.decide {
            var attempt = attempt
            attempt.proposedWait = wait
            wait = decide(attempt)
        }
        guard let wait else {
            if let status = attempt.response?.statusCode, status < 500, !fields.statusCodes.contains(status) {
                fields.budget?.putBack(for: attempt.request.url)
            }
            return nil
        }
        let isOffline = fields.isOffline(after: attempt)
        guard isOffline || attempt.retries - attempt.offlineRetries < fields.count, canBeSentAgain(),
            mayWait(wait)
        else {
            return nil
        }
        // No server was reached, so the budget isn't charged.
        if isOffline, !fields.mayHaveReachedServer(attempt) { return max(.zero, wait) }
        return fields.budget?.take(for: attempt.request.url) ?? true ? max(.zero, wait) : nil
    }
}

extension RetryPolicy.Fields {
    /// Whether an attempt has reached nothing, so that the network is waited for.
    fileprivate func hasReachedNothing(_ attempt: RetryPolicy.Attempt) -> Bool {
        offlineLimit > .zero && attempt.response == nil
            && RetryPolicy.offlineErrors.contains((attempt.error as? URLError)?.code ?? .unknown)
    }

    /// Whether an attempt has reached nothing, and the time for waiting isn't over.
    fileprivate func isOffline(after attempt: RetryPolicy.Attempt) -> Bool {
        hasReachedNothing(attempt) && timeOffline(attempt) < offlineLimit
    }

    /// How long the network has been waited for.
    private func timeOffline(_ attempt: RetryPolicy.Attempt) -> Duration {
        (0..<attempt.offlineRetries).reduce(.zero) { $0 + backoff.wait(after: $1) }
    }

    /// Whether a server may have been there that refused the connection or closed it.
    fileprivate func mayHaveReachedServer(_ attempt: RetryPolicy.Attempt) -> Bool {
        let code = (attempt.error as? URLError)?.code
        return code == .cannotConnectToHost || code == .networkConnectionLost
    }

    fileprivate func wait(
        after attempt: RetryPolicy.Attempt, now: @autoclosure () -> Date,
        random: (ClosedRange<Double>) -> Double
    ) -> Duration? {
        let counted = attempt.retries - attempt.offlineRetries
        if hasReachedNothing(attempt) {
            guard methods.contains(Request.Method(rawValue: attempt.request.httpMethod ?? "GET")) else {
                return nil
            }
            let left = offlineLimit - timeOffline(attempt)
            return left > .zero ? min(backoff.wait(after: attempt.offlineRetries), left) : nil
        }
        guard counted < count else { return nil }
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
        let longest = backoff.wait(after: counted)
        let wait = Duration(clamping: longest.seconds * random(jitter.clamped(to: 0...1)))
        guard let field = attempt.response?.value(forHTTPHeaderField: "Retry-After"),
            let demand = RetryAfter.delay(field, now: now())
        else { return wait }
        return demand > retryAfterLimit ? nil : max(wait, demand)
    }
}
