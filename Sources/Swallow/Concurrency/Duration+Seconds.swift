import Foundation

extension Duration {
    package static let century = Duration.seconds(100 * 365 * 24 * 3600)

    package var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) * 1e-18
    }

    /// Creates a duration of at most a hundred years. `Duration.seconds(_:)` traps on very large values and NaN.
    package init(clamping seconds: TimeInterval) {
        let limit = Self.century.seconds
        self = seconds.isNaN ? .zero : .seconds(Swift.min(Swift.max(seconds, -limit), limit))
    }
}
