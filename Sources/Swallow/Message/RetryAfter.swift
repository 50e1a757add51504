import Foundation

/// A `Retry-After` field (RFC 9110 §10.2.3): a number of seconds, or a date.
enum RetryAfter {
    /// How long to wait: not at all until a moment that has passed, and 68 years (2³¹ s) at most.
    ///
    /// - Returns: nil for a field that is neither a number nor a date.
    static func delay(_ field: String, now: Date = Date()) -> Duration? {
        if let seconds = HTTPSyntax.seconds(field) { return .seconds(seconds) }
        guard let date = HTTPDate.date(field, now: now) else { return nil }
        let seconds = date.timeIntervalSince(now)
        return .seconds(min(max(0, seconds), TimeInterval(HTTPSyntax.maximumSeconds)))
    }
}
