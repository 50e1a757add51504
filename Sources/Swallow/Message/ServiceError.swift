import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Why a task failed: the one error type of every handler and every `await`.
public struct ServiceError: Error, Sendable {
    /// The kind of failure.
    public enum Reason: Sendable, Hashable {
        /// Base and path don't make an HTTP URL; nothing was sent.
        case invalidURL
        /// Method, headers, parameters or body can't be sent; nothing was sent.
        case invalidRequest
        /// The bytes didn't make it there or back.
        case transport(URLError)
        /// The task, or the Swift task that awaited it, was cancelled.
        case cancelled
        /// The request's timeout, or the transport's own, has passed.
        case timedOut
        /// The answer was not an HTTP response.
        case invalidResponse
        /// The status code is not one that the request accepts.
        case unacceptableStatus
        /// JSON was asked for, and the body is empty.
        case emptyBody
        /// The body can't be parsed: it isn't JSON, say, or isn't text in its charset.
        case unparsable
        /// The JSON doesn't have the form of the type asked for.
        case undecodable
        /// The pipeline's content is of another type than the one asked for.
        case contentMismatch(expected: String, actual: String)
        /// A transformer gave nil.
        case noContent
        /// Only caches were asked, and none has the response; nothing was sent.
        case notCached
        /// No credential could be obtained, for example because a token refresh failed. The request was not sent, or the
        /// server rejected its credential. ``ServiceError/underlying`` is the error of the ``Authenticator``.
        case authentication
        /// A handler or a closure of the app threw, or called `throwError`.
        case thrown
    }

    private var storage: Storage

    private struct Fields: Sendable {
        var reason: Reason
        /// The words that the app has set.
        var userMessage: String?
        var detail: String?
        var request: Request?
        var response: HTTPURLResponse?
        var entity: Entity<any Sendable>?
        var underlying: (any Error)?
        var attempts = 1
    }

    /// A reference to the fields: inline, they would make each task, which has room for an error in several places, 1.3
    /// KB larger.
    private indirect enum Storage: Sendable {
        case fields(Fields)
    }

    private var fields: Fields {
        get {
            switch storage {
            case .fields(let fields): fields
            }
        }
        set { storage = .fields(newValue) }
    }

    /// The kind of failure.
    public var reason: Reason {
        get { fields.reason }
        set { fields.reason = newValue }
    }

    /// What to tell the person in front of the screen, in plain words; never empty by itself.
    ///
    /// The words that were set; else those of the service's ``Configuration/userMessage``, and where it has none, English
    /// ones that fit the reason.
    public var userMessage: String {
        get {
            if let message = fields.userMessage { return message }
            let standard = reason.userMessage(statusCode: statusCode, underlying: underlying)
            guard let words = request?.conventions.userMessage else { return standard }
            // Set first, so that the closure can read it.
            var error = self
            error.userMessage = standard
            return words(error) ?? standard
        }
        set { fields.userMessage = newValue }
    }

    /// The message that the app or the pipeline has set; nil if none was set.
    var ownUserMessage: String? { fields.userMessage }

    /// The request that failed.
    public internal(set) var request: Request? {
        get { fields.request }
        set { fields.request = newValue }
    }

    /// The response's head, where one came.
    public internal(set) var response: HTTPURLResponse? {
        get { fields.response }
        set { fields.response = newValue }
    }

    /// The response's body, where one came: parsed like any other, or as raw bytes where it can't be.
    public var entity: Entity<any Sendable>? {
        get { fields.entity }
        set { fields.entity = newValue }
    }

    /// The cause of the failure: the `URLError`, the parse error, the error that a handler or an ``Authenticator`` threw.
    public var underlying: (any Error)? {
        get { fields.underlying }
        set { fields.underlying = newValue }
    }

    /// How often the request was sent, redirects aside: 1 unless a ``RetryPolicy``, an ``Authenticator`` or a download
    /// sent it again. The error is that of the last attempt.
    public internal(set) var attempts: Int {
        get { fields.attempts }
        set { fields.attempts = newValue }
    }

    /// What is wrong, in a developer's words.
    var detail: String? {
        get { fields.detail }
        set { fields.detail = newValue }
    }

    /// Makes an error, for tests, data sources and `throwError`.
    ///
    /// - Parameters:
    ///   - reason: the kind of failure.
    ///   - userMessage: what to tell the user; nil, the default, for the standard words of ``userMessage``.
    ///   - request: what failed; a task fills in its own.
    ///   - response: the head that came, if one did; a task fills in its own.
    ///   - entity: the body, as content; a task fills in its own.
    ///   - underlying: the error behind it.
    public init(
        _ reason: Reason, userMessage: String? = nil, request: Request? = nil,
        response: HTTPURLResponse? = nil,
        entity: Entity<any Sendable>? = nil, underlying: (any Error)? = nil
    ) {
        self.init(
            reason, userMessage: userMessage, detail: nil, request: request, response: response,
            entity: entity,
            underlying: underlying)
    }

    package init(
        _ reason: Reason, userMessage: String? = nil, detail: String?, request: Request? = nil,
        response: HTTPURLResponse? = nil, entity: Entity<any Sendable>? = nil, underlying: (any Error)? = nil
    ) {
        storage = .fields(
            Fields(
                reason: reason, userMessage: userMessage, detail: detail, request: request,
                response: response, entity: entity, underlying: underlying))
    }
}

extension ServiceError {
    /// The task, or the Swift task that awaited it, was cancelled. This and the next three are for `throw` and
    /// `throwError`.
    public static var cancelled: ServiceError { ServiceError(.cancelled) }
    /// The timeout has passed.
    public static var timedOut: ServiceError { ServiceError(.timedOut) }
    /// The answer can't be used.
    public static var invalidResponse: ServiceError { ServiceError(.invalidResponse) }
    /// There is no content.
    public static var noContent: ServiceError { ServiceError(.noContent) }

    /// The response's status code, where a response came.
    public var statusCode: Int? { response?.statusCode }

    /// The body as JSON; ``JSON/missing`` where there is none.
    public var json: JSON { entity?.json ?? .missing }

    /// The body as text, where it is text.
    public var text: String? { entity?.text }

    /// Whether the server says that the resource is not there: 404 or 410.
    public var isNotFound: Bool { statusCode == 404 || statusCode == 410 }

    /// Whether the server says that the fault is its own: 500 to 599.
    public var isServerError: Bool { statusCode.map((500..<600).contains) ?? false }

    /// Whether the task was cancelled.
    public var isCancelled: Bool { reason == .cancelled }

    /// Whether the same request may succeed later: the connection failed, time ran out, or the status is 408,
    /// 429, 500, 502, 503 or 504. If no credential could be obtained, the cause of that decides. Whether the request may be sent
    /// twice is another question (RFC 9110 §9.2.2).
    public var isRetryable: Bool {
        switch reason {
        case .timedOut: true
        case .transport(let error): Self.passingCodes.contains(error.code)
        case .unacceptableStatus: statusCode.map([408, 429, 500, 502, 503, 504].contains) ?? false
        case .authentication: authenticationFailure?.isRetryable ?? false
        default: false
        }
    }

    private static let passingCodes: Set<URLError.Code> = [
        .networkConnectionLost, .notConnectedToInternet, .cannotConnectToHost, .cannotFindHost,
        .dnsLookupFailed,
        .timedOut,
    ]
}
