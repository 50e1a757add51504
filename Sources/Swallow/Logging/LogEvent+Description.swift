import Foundation

extension LogEvent: CustomStringConvertible {
    /// The event in one line, with the number, method and URL of its ``request``, if it has one.
    ///
    /// Control characters and line separators are escaped, so a response can't forge a line of the log.
    public var description: String {
        let text =
            if let request { "[\(request.id)] \(request.method) \(request.url) \(summary)" } else { summary }
        return text.escapedForLog
    }

    private var summary: String {
        switch self {
        case .requestBuilt(let request): "built: \(request.summary)"
        case .requestSent: "sent"
        case .retry(_, let attempt, let delay, let reason):
            "\(reason), attempt \(attempt) follows" + (delay > .zero ? " in \(delay.shortText)" : "")
        case .responseReceived(_, let response): "answered \(response.summary)"
        case .stageRun(_, let stage, let transformer, let duration, .output(let type)):
            "stage \(stage): \(transformer) made \(type) in \(duration.shortText)"
        case .stageRun(_, let stage, let transformer, let duration, .failure(let reason)):
            "stage \(stage): \(transformer) failed in \(duration.shortText): \(reason)"
        case .cacheHit(_, let stage): "stage \(stage): cache hit"
        case .cacheUsed(_, let use, let stage, let freshness):
            "served from the cache of \(stage): \(use.summary(freshness))"
        case .cacheMiss(_, let stage): "stage \(stage): cache miss"
        case .cacheWrite(_, let stage): "stage \(stage): cache write"
        case .cacheSkipped: "caches skipped: the body isn't stored in memory"
        case .cancelled: "cancelled"
        case .failed(_, let reason): "failed: \(reason)"
        case .misconfigured(let text): "misconfigured: \(text)"
        }
    }
}

extension LogEvent.Request {
    fileprivate var summary: String {
        let body = bodyByteCount.map { $0.byteCountText } ?? "a stream"
        return ([body] + headers.map { "\($0.name): \($0.value)" }).joined(separator: "; ")
    }
}

extension LogEvent.Response {
    fileprivate var summary: String { "\(statusCode), \(byteCount.byteCountText), \(duration.shortText)" }
}

extension LogEvent.CacheUse {
    fileprivate func summary(_ freshness: Freshness) -> String {
        switch self {
        case .hit: "hit, \(freshness.age.shortText) old"
        case .staleHit:
            "stale hit, \(freshness.age.shortText) old, stale for \(freshness.staleFor.shortText)"
        case .revalidated: "revalidated"
        }
    }

    var name: String {
        switch self {
        case .hit: "hit"
        case .staleHit: "stale hit"
        case .revalidated: "revalidated"
        }
    }
}

extension Int {
    var byteCountText: String { self == 1 ? "1 byte" : "\(self) bytes" }
}

extension Duration {
    var shortText: String {
        switch seconds {
        case ..<0.001: String(format: "%.1f µs", seconds * 1_000_000)
        case ..<1: String(format: "%.1f ms", seconds * 1000)
        default: String(format: "%.2f s", seconds)
        }
    }
}

extension String {
    var escapedForLog: String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        var escaped = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                escaped.append(contentsOf: scalar.logEscape.unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}

extension Unicode.Scalar {
    fileprivate var logEscape: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(value, radix: 16, uppercase: true))}"
        }
    }
}
