import Foundation

/// A `Retry-After` field (RFC 9110 §10.2.3): a number of seconds, or a date.
enum RetryAfter {
    /// Returns zero if the date has passed, at most 68 years (2³¹ s), and `nil` if the field is invalid.
    static func delay(_ field: String, now: Date = Date()) -> Duration? {
        if let seconds = HTTPSyntax.seconds(field) { return .seconds(seconds) }
        guard let date = HTTPDate.date(field, now: now) else { return nil }
        let seconds = date.timeIntervalSince(now)
        return .seconds(min(max(0, seconds), TimeInterval(HTTPSyntax.maximumSeconds)))
    }
}
