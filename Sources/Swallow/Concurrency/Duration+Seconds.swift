import Foundation

extension Duration {
    /// A hundred years. This is practically forever, and no clock overflows.
    package static let century = Duration.seconds(100 * 365 * 24 * 3600)

    /// The duration in seconds.
    package var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) * 1e-18
    }

    /// Creates a duration of seconds, limited to a hundred years in either direction. NaN becomes zero.
    ///
    /// `Duration.seconds(_:)` traps on values that it can't hold.
    package init(clamping seconds: TimeInterval) {
        let limit = Self.century.seconds
        self = seconds.isNaN ? .zero : .seconds(Swift.min(Swift.max(seconds, -limit), limit))
    }
}
