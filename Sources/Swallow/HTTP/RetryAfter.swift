import Foundation

/// The `Retry-After` field, which is a number of seconds or a date (RFC 9110 §10.2.3).
enum RetryAfter {
    /// Returns the delay. Zero for a date in the past, and `nil` for an invalid field.
    static func delay(_ field: String, now: Date = Date()) -> Duration? {
        if let seconds = HTTPSyntax.seconds(field) { return .seconds(seconds) }
        guard let date = HTTPDate.date(field, now: now) else { return nil }
        let seconds = date.timeIntervalSince(now)
        return .seconds(min(max(0, seconds), TimeInterval(HTTPSyntax.maximumSeconds)))
    }
}

extension HTTPURLResponse {
    func retryDelay(now: @autoclosure () -> Date) -> Duration? {
        value(forHTTPHeaderField: "Retry-After").flatMap { RetryAfter.delay($0, now: now()) }
    }
}
