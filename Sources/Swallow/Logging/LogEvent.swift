import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Something that happened to a request, as a service's log sees it.
///
/// Secrets are taken out when an event is made, by a ``LogRedaction``: whatever a log does with an event, it
/// can't give them away. An event's ``description`` is one line of text, also where a URL, a header or an
/// error's text holds line breaks.
///
/// ```swift
/// service.log = .standardError(.info)
/// service.log = { event in
///     if event.level >= .error { monitor.append(event.description) }
/// }
/// ```
public enum LogEvent: Sendable, Hashable {
    /// The request was encoded; it has not been sent. Its level is `debug`.
    case requestBuilt(Request)
    /// The request was handed to the data source. Its level is `info`.
    case requestSent(Request)
    /// The request will be sent again: as which attempt, from 2 on, after which wait, and why: a status, or the text of an
    /// error. Its level is `info`.
    case retry(Request, attempt: Int, wait: Duration, reason: String)
    /// A response came, whatever its status. Its level is `info`.
    case responseReceived(Request, Response)
    /// A transformer of the pipeline, given by its description, ran in a stage for a time. Its level is `debug`, or `info` if
    /// it failed.
    case stageRun(Request, stage: String, transformer: String, duration: Duration, Outcome)
    /// A stage's cache had the content. Its level is `debug`.
    case cacheHit(Request, stage: String)
    /// A task has its response from a stage's cache, asked for or not, as fresh as it was when it was used (RFC 9111 §4.2).
    /// Its level is `info`.
    case cacheUsed(Request, CacheUse, stage: String, Freshness)
    /// A stage's cache didn't have the content. Its level is `debug`.
    case cacheMiss(Request, stage: String)
    /// Content was handed to a stage's cache. Its level is `debug`.
    case cacheWrite(Request, stage: String)
    /// The stages' caches have no part in the request, since its body isn't kept in memory. Its level is `debug`.
    case cacheSkipped(Request)
    /// The task was cancelled after its request was sent, and nothing else comes of it. Its level is `info`.
    ///
    /// A request is under way from ``requestSent(_:)`` to this, ``responseReceived(_:_:)``, ``cacheUsed(_:_:stage:_:)`` or
    /// ``failed(_:reason:)`` with the same ``Request/id``.
    case cancelled(Request)
    /// The task failed, cancellation aside; the reason is its error's text. Its level is `error`.
    case failed(Request, reason: String)
    /// A configuration, or a task that was not resumed, has no effect, for the reason given. Its level is `error`.
    case misconfigured(String)

    /// How much an event matters; a log takes those of its level and above.
    public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// What helps to follow one request through the pipeline.
        case debug
        /// What was sent, and what came back.
        case info
        /// What went wrong.
        case error

        /// Whether the first level matters less.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// How much the event matters.
    public var level: Level {
        switch self {
        case .requestBuilt, .cacheHit, .cacheMiss, .cacheWrite, .cacheSkipped: .debug
        case .stageRun(_, _, _, _, .output): .debug
        case .stageRun, .requestSent, .retry, .responseReceived, .cacheUsed, .cancelled: .info
        case .failed, .misconfigured: .error
        }
    }

    /// The request that it happened to; nil where it is about a configuration.
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

    /// The event of a task's failure. The error's text is given without its request, which the event has
    /// itself, and without secrets in the URLs that it holds.
    static func failed(_ request: Request, error: ServiceError, redaction: LogRedaction) -> LogEvent {
        var error = error
        error.request = nil
        return .failed(request, reason: redaction.text(of: error))
    }
}

// MARK: - What events tell

extension LogEvent {
    /// A request as a log sees it, without secrets.
    public struct Request: Sendable, Hashable {
        /// A number that the events of one task have in common, and no other task of the process has.
        public let id: Int
        /// The method, such as `GET`.
        public let method: String
        /// The URL, without user and password, and with `<redacted>` for the values of secret query items.
        public let url: String
        /// The header fields, with `<redacted>` for the values of secret ones; those that the transport adds
        /// of its own, such as stored cookies, are not among them.
        public let headers: Headers
        /// How many bytes the body has; nil where it is a stream.
        public let bodyByteCount: Int?
        /// When the event happened, by the service's clock.
        public internal(set) var date: Date
        /// The request itself; `nil` if it couldn't be encoded.
        let message: LoggedMessage?

        /// What was encoded.
        ///
        /// - Parameter form: The form that the body was made of.
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

        /// What could not be encoded.
        init(_ request: Swallow.Request, id: Int, redaction: LogRedaction, date: Date = Date()) {
            message = nil
            self.id = id
            self.date = date
            method = request.method.rawValue
            url = redaction.redactedURL(request.fullURLString)
            headers = redaction.redacted(request.headers)
            bodyByteCount = 0
        }

        // Events of several services meet in one log, so their numbers come from one place for the process.
        private static let lastID = Lock(0)

        /// A number that no other task has.
        static func nextID() -> Int {
            lastID.withLock { lastID in
                lastID &+= 1
                return lastID
            }
        }
    }
}

extension LogEvent {
    /// A response as a log sees it, without secrets.
    public struct Response: Sendable, Hashable {
        /// The status code (RFC 9110 §15).
        public let statusCode: Int
        /// The header fields, with `<redacted>` for the values of secret ones.
        public let headers: Headers
        /// How many bytes the body has, any content coding undone.
        public let byteCount: Int
        /// The time since the request was sent, by the service's clock.
        public let duration: Duration
        /// How the transfer went, without the ``TransferMetrics/hops``, whose requests have secrets; nil where the data source
        /// doesn't tell.
        public let metrics: TransferMetrics?
        /// The body; `nil` if it isn't in memory.
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
            metrics?.hops = []
            self.metrics = metrics
        }
    }
}

extension LogEvent {
    /// Why a cached response could be used.
    public enum CacheUse: Sendable, Hashable {
        /// It was used while it was fresh.
        case hit
        /// It was used although it was stale: offline, with `stale-if-error` or `stale-while-revalidate`, or as the
        /// request or the configuration asks.
        case staleHit
        /// The server confirmed it (RFC 9110 §15.4.5).
        case revalidated

        init(isConfirmed: Bool, _ freshness: Freshness) {
            self = isConfirmed ? .revalidated : freshness.isFresh ? .hit : .staleHit
        }
    }

    /// What came of a transformer's run.
    public enum Outcome: Sendable, Hashable {
        /// Content of the type with this name.
        case output(type: String)
        /// No content; the reason is the error's text.
        case failure(reason: String)
    }
}
