/// Something that happened to a request, as a service's log sees it.
///
/// Secrets are taken out when an event is made, by a ``LogRedaction``: whatever a log does with an event, it
/// can't give them away. An event's ``description`` is one line of text, also where a URL, a header or an
/// error's text holds line breaks.
///
/// ```swift
/// service.log = .standardError(.info)
/// service.log = { event in
///     if event.level >= .error { monitor.count(event.description) }
/// }
/// ```
public enum LogEvent: Sendable, Hashable {
    /// The request was encoded; it has not been sent. Its level is `debug`.
    case requestBuilt(Request)
    /// The request was handed to the data source. Its level is `info`.
    case requestSent(Request)
    /// A response came, whatever its status. Its level is `info`.
    case responseReceived(Request, Response)
    /// A transformer of the pipeline ran. Its level is `debug`, or `info` if it failed.
    case stageRun(Request, Stage)
    /// A stage's cache had the content. Its level is `debug`.
    case cacheHit(Request, stage: String)
    /// A stage's cache didn't have the content. Its level is `debug`.
    case cacheMiss(Request, stage: String)
    /// Content was handed to a stage's cache. Its level is `debug`.
    case cacheWrite(Request, stage: String)
    /// The task failed, cancellation aside; the reason is its error's text. Its level is `error`.
    case failed(Request, reason: String)
    /// A configuration has no effect, for the reason given. Its level is `error`.
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
        case .requestBuilt, .cacheHit, .cacheMiss, .cacheWrite: .debug
        case .stageRun(_, let stage): stage.isSuccess ? .debug : .info
        case .requestSent, .responseReceived: .info
        case .failed, .misconfigured: .error
        }
    }

    /// The request that it happened to; nil where it is about a configuration.
    public var request: Request? {
        switch self {
        case .requestBuilt(let request), .requestSent(let request), .responseReceived(let request, _),
            .stageRun(let request, _), .cacheHit(let request, _), .cacheMiss(let request, _),
            .cacheWrite(let request, _), .failed(let request, _):
            request
        case .misconfigured: nil
        }
    }

    /// The event of a task's failure. The error's text is given without its request, which the event has
    /// itself, and without secrets in the URLs that it holds.
    static func failed(_ request: Request, error: ServiceError, redaction: LogRedaction) -> LogEvent {
        var error = error
        error.request = nil
        return .failed(request, reason: redaction.redacted(error.description))
    }
}
