import Foundation

/// The error of a failed task.
public struct ServiceError: Error, Sendable {
    /// The kind of failure.
    public enum Reason: Sendable, Hashable {
        /// The request has no valid HTTP URL. Nothing was sent.
        case invalidURL
        /// The method, headers, parameters, body or options can't be used. Usually, nothing was sent.
        case invalidRequest
        /// The request or the response couldn't be transferred, or a download couldn't be saved or read.
        case transport(URLError)
        /// The task, or the Swift task that awaited it, was cancelled, or the app threw a `CancellationError`.
        case cancelled
        /// A timeout has passed, for example the task's or the data source's own.
        case timedOut
        /// The data source returned no HTTP response or an unusable one, for example because a line is too long.
        case invalidResponse
        /// The request doesn't accept the response's status code.
        case unacceptableStatus
        /// JSON was expected, but the body, or the data of a server-sent event, is empty.
        case emptyBody
        /// The body can't be parsed. For example, it isn't JSON, or it isn't text in its charset.
        case unparsable
        /// The JSON doesn't fit the expected type.
        case undecodable
        /// The response's content type, or the type of the pipeline's content, isn't the expected one.
        case contentMismatch(expected: String, actual: String)
        /// A transformer, or the closure of a task's `transform`, returned `nil`.
        case noOutput
        /// Only caches may respond, and none has a usable response. Nothing was sent.
        case notCached
        /// No credential could be obtained, for example because a token refresh failed. The request was not sent, or
        /// the server rejected its credential.
        case authentication
        /// The app threw its own error, for example in a handler, or passed it to `throwError`.
        case thrown
    }

    private var storage: Storage

    private struct Fields: Sendable {
        var reason: Reason
        var userMessage: String?
        var detail: String?
        var request: Request?
        var response: HTTPURLResponse?
        var entity: Entity<any Sendable>?
        var underlying: (any Error)?
        var attempts = 1
    }

    /// Indirect, because each task has room for several errors, and inline fields would enlarge it.
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

    /// The message for the user. It is the message that was set, otherwise the one from
    /// ``WebService/Configuration/userMessage``, otherwise a standard message for the reason.
    public var userMessage: String {
        get {
            if let message = fields.userMessage { return message }
            let standard = reason.userMessage(statusCode: statusCode, underlying: underlying)
            guard let words = request?.conventions.userMessage else { return standard }
            // Otherwise, the closure would call itself when it reads `userMessage`.
            var error = self
            error.userMessage = standard
            return words(error) ?? standard
        }
        set { fields.userMessage = newValue }
    }

    var ownUserMessage: String? { fields.userMessage }

    /// The request that failed, or `nil` if it isn't known.
    public internal(set) var request: Request? {
        get { fields.request }
        set { fields.request = newValue }
    }

    /// The head of the response, or `nil` if there is none or it isn't known.
    public internal(set) var response: HTTPURLResponse? {
        get { fields.response }
        set { fields.response = newValue }
    }

    /// The body of the response, parsed if possible. `nil` if there is none or it isn't in memory.
    public var entity: Entity<any Sendable>? {
        get { fields.entity }
        set { fields.entity = newValue }
    }

    /// The error that caused this one, for example a `URLError`. `nil` if there is none.
    public var underlying: (any Error)? {
        get { fields.underlying }
        set { fields.underlying = newValue }
    }

    /// The number of attempts, at least 1. For example, a ``RetryPolicy`` can cause another one.
    public internal(set) var attempts: Int {
        get { fields.attempts }
        set { fields.attempts = newValue }
    }

    var detail: String? {
        get { fields.detail }
        set { fields.detail = newValue }
    }

    /// Creates an error for tests, data sources and `throwError`. `detail` is for developers, and part of
    /// ``description``. A task that fails with the error adds its request if the error has none.
    public init(
        _ reason: Reason, userMessage: String? = nil, detail: String? = nil, request: Request? = nil,
        response: HTTPURLResponse? = nil, entity: Entity<any Sendable>? = nil, underlying: (any Error)? = nil
    ) {
        storage = .fields(
            Fields(
                reason: reason, userMessage: userMessage, detail: detail, request: request,
                response: response, entity: entity, underlying: underlying))
    }
}

extension ServiceError {
    /// The error of a cancelled task, for `throw` and `throwError`.
    public static var cancelled: ServiceError { ServiceError(.cancelled) }
    /// The error after a timeout, for `throw` and `throwError`.
    public static var timedOut: ServiceError { ServiceError(.timedOut) }
    /// The error for a response that can't be used, for `throw` and `throwError`.
    public static var invalidResponse: ServiceError { ServiceError(.invalidResponse) }
    /// The error of a transformer that returned `nil`, for `throw` and `throwError`.
    public static var noOutput: ServiceError { ServiceError(.noOutput) }

    /// The status code of the ``response``.
    public var statusCode: Int? { response?.statusCode }

    /// The body as JSON, or ``JSON/missing`` if there is none or it isn't JSON.
    public var json: JSON { entity?.json ?? .missing }

    /// The body as text. `nil` if there is none, if it was parsed as JSON, or if it isn't text.
    public var text: String? { entity?.text }

    /// Whether the resource doesn't exist (status 404 or 410).
    public var isNotFound: Bool { statusCode == 404 || statusCode == 410 }

    /// Whether the server reports its own failure (status 500 to 599).
    public var isServerError: Bool { statusCode.map((500..<600).contains) ?? false }

    /// Whether the reason is `.cancelled`.
    public var isCancelled: Bool { reason == .cancelled }

    /// Whether the same request may succeed later. True if it or its authentication failed with a lost or missing
    /// connection, an unknown host, a timeout, or status 408, 429, 500, 502, 503 or 504. A repeat may be unsafe.
    public var isRetryable: Bool {
        switch reason {
        case .timedOut: true
        case .transport(let error): RetryPolicy.standard.transportErrors.contains(error.code)
        case .unacceptableStatus: statusCode.map([408, 429, 500, 502, 503, 504].contains) ?? false
        case .authentication: authenticationFailure?.isRetryable ?? false
        default: false
        }
    }
}
