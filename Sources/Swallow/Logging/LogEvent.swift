import Foundation

/// An event that Swallow passes to the service's log, redacted as ``LogRedaction`` describes.
///
/// ```swift
/// service.log = .standardError(.info)
/// service.log = { event in
///     if event.level >= .error { monitor.append(event.description) }
/// }
/// ```
public enum LogEvent: Sendable, Hashable {
    /// The request was encoded, but not sent yet. The level is `debug`.
    case requestBuilt(Request)
    /// The task starts to send its request. A credential may still have to be obtained. The level is `info`.
    case requestSent(Request)
    /// The request will be sent again. The values are the number of the next attempt (the first attempt has number 1),
    /// the delay before it, and the reason: a status or the text of an error. The level is `info`.
    case retry(Request, attempt: Int, delay: Duration, reason: String)
    /// A complete response arrived, with any status. The level is `info`.
    case responseReceived(Request, Response)
    /// A transformer ran in a stage of the pipeline. The values include its description and its running time. The level
    /// is `debug`, or `info` if the transformer returned a failure.
    case stageRun(Request, stage: String, transformer: String, duration: Duration, Outcome)
    /// A stage's cache has a stored response for the request. The level is `debug`.
    case cacheHit(Request, stage: String)
    /// A stage's cache served the task's response, which had this freshness (RFC 9111 §4.2). The level is `info`.
    case cacheUsed(Request, CacheUse, stage: String, Freshness)
    /// A stage's cache has no stored response for the request. The level is `debug`.
    case cacheMiss(Request, stage: String)
    /// A response was passed to a stage's cache. The level is `debug`.
    case cacheWrite(Request, stage: String)
    /// The caches neither serve nor store the response, because its body isn't in memory. The level is `debug`.
    case cacheSkipped(Request)
    /// The task was cancelled after ``requestSent(_:)``, or the app threw a `CancellationError`. The level is `info`.
    ///
    /// Usually, a request is running from ``requestSent(_:)`` until this event, ``responseReceived(_:_:)``,
    /// ``cacheUsed(_:_:stage:_:)`` or ``failed(_:reason:)`` with the same ``Request/id``. None of them follows if a
    /// transformer turns a failed transfer into a success.
    case cancelled(Request)
    /// The task or a handler failed with an error, but not with `.cancelled`, and not with `.notCached` after caches were
    /// read. The reason is the error's text. The level is `error`.
    case failed(Request, reason: String)
    /// A part of the configuration has no effect, or, in debug builds, a task with handlers wasn't resumed within a
    /// minute. The level is `error`.
    case misconfigured(String)

    /// The importance of an event.
    public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// Details for following one request through the pipeline.
        case debug
        /// The steps of a request, such as the response.
        case info
        /// Failures and misconfigurations.
        case error

        /// Returns whether the first level is less important than the second.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The importance of the event.
    public var level: Level {
        switch self {
        case .requestBuilt, .cacheHit, .cacheMiss, .cacheWrite, .cacheSkipped: .debug
        case .stageRun(_, _, _, _, .output): .debug
        case .stageRun, .requestSent, .retry, .responseReceived, .cacheUsed, .cancelled: .info
        case .failed, .misconfigured: .error
        }
    }

    /// The request of the event. `nil` for ``misconfigured(_:)``.
    public var request: Request? {
        switch self {
        case .requestBuilt(let request), .requestSent(let request), .retry(let request, _, _, _),
            .responseReceived(let request, _), .stageRun(let request, _, _, _, _),
            .cacheHit(let request, _), .cacheMiss(let request, _),
            .cacheUsed(let request, _, _, _), .cacheWrite(let request, _), .cacheSkipped(let request),
            .cancelled(let request),
            .failed(let request, _):
            request
        case .misconfigured: nil
        }
    }

    static func failed(_ request: Request, error: ServiceError, redaction: LogRedaction) -> LogEvent {
        var error = error
        error.request = nil
        return .failed(request, reason: redaction.text(of: error))
    }
}

extension LogEvent {
    /// A redacted request.
    public struct Request: Sendable, Hashable {
        /// A number that all events of a task share. It is unique in the process.
        public let id: Int
        /// The method, such as `GET`.
        public let method: String
        /// The URL without user and password. The values of secret query items are `<redacted>`.
        public let url: String
        /// The header fields, without those that are added after the request was built. Secret values are `<redacted>`.
        public let headers: Headers
        /// The body's size in bytes. `nil` for a body that is streamed, and 0 if the request wasn't built.
        public let bodyByteCount: Int?
        /// The time of the event, by the service's clock.
        public internal(set) var date: Date
        let message: LoggedMessage?

        init(
            _ request: URLRequest, form: MultipartForm? = nil, id: Int, redaction: LogRedaction,
            date: Date = Date()
        ) {
            message = LoggedMessage(request, form: form, redaction)
            self.id = id
            self.date = date
            method = request.httpMethod ?? "GET"
            url = redaction.redactedURL(request.url?.absoluteString ?? "")
            headers = redaction.redacted(Headers(request.allHTTPHeaderFields ?? [:]))
            bodyByteCount = request.httpBodyStream == nil ? request.httpBody?.count ?? 0 : nil
        }

        init(_ request: Swallow.Request, id: Int, redaction: LogRedaction, date: Date = Date()) {
            message = nil
            self.id = id
            self.date = date
            method = request.method.rawValue
            url = redaction.redactedURL(request.fullURLString)
            headers = redaction.redacted(request.headers)
            bodyByteCount = 0
        }

        // The counter is global, because several services may use the same log.
        private static let lastID = Lock(0)

        static func nextID() -> Int {
            lastID.withLock { lastID in
                lastID &+= 1
                return lastID
            }
        }
    }

    /// A redacted response.
    public struct Response: Sendable, Hashable {
        /// The status code (RFC 9110 §15).
        public let statusCode: Int
        /// The header fields. Secret values are `<redacted>`.
        public let headers: Headers
        /// The size of the received body in bytes.
        public let byteCount: Int
        /// The time from ``LogEvent/requestSent(_:)`` to the complete response, by the service's clock.
        public let duration: Duration
        /// The metrics without ``TransferMetrics/followedRedirects``. `nil` if the data source doesn't provide metrics.
        public let metrics: TransferMetrics?
        let message: LoggedMessage?

        init(
            _ response: HTTPURLResponse, body: Data? = nil, byteCount: Int, duration: Duration,
            metrics: TransferMetrics? = nil, redaction: LogRedaction
        ) {
            message = body.map { LoggedMessage(response, body: $0, redaction) }
            statusCode = response.statusCode
            headers = redaction.redacted(Headers(response))
            self.byteCount = byteCount
            self.duration = duration
            var metrics = metrics
            metrics?.followedRedirects = []
            self.metrics = metrics
        }
    }

    /// The reason why a stored response could be served.
    public enum CacheUse: Sendable, Hashable {
        /// The response was fresh.
        case hit
        /// The response was stale, but it could be served, for example offline or with `stale-if-error`.
        case staleHit
        /// The server confirmed the response (RFC 9110 §15.4.5).
        case revalidated

        init(isConfirmed: Bool, _ freshness: Freshness) {
            self = isConfirmed ? .revalidated : freshness.isFresh ? .hit : .staleHit
        }
    }

    /// The outcome of a transformer's run.
    public enum Outcome: Sendable, Hashable {
        /// The transformer returned content of the type with this name.
        case output(type: String)
        /// The transformer returned a failure. The reason is the text of the error.
        case failure(reason: String)
    }
}
