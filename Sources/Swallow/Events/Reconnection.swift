import Foundation

/// Computes the delay before an event source or a WebSocket connects again.
package struct Reconnection: Sendable {
    package enum Step: Sendable {
        case wait(Duration)
        case fail(ServiceError)
    }

    var serverTime = Duration.seconds(3)
    private(set) var failures = 0
    private var briefConnections = 0
    private var start: Date?
    var chance: @Sendable () -> Double = { .random(in: 0...1) }

    package init() {}

    package mutating func begin(at now: Date) { start = now }

    package mutating func noteEvent() { failures = 0 }

    package mutating func step(after error: ServiceError?, now: Date) -> Step {
        if let error, !error.allowsReconnecting { return .fail(error) }
        let isBrief = start.map { now.timeIntervalSince($0) < 0.1 } ?? false
        briefConnections = isBrief ? briefConnections + 1 : 0
        let delay = delay
        failures += 1
        return .wait(max(delay, error?.response?.retryDelay(now: now) ?? .zero))
    }

    private var delay: Duration {
        let shortest = max(serverTime, floor, failures == 0 ? .zero : .milliseconds(100))
        let doubled = shortest * (1 << min(failures, 10))
        let longest = max(min(doubled, .seconds(60)), shortest * 1.2)
        return shortest + (longest - shortest) * chance()
    }

    /// The minimum delay after brief connections. Without it, `retry: 0` could cause many requests a second.
    private var floor: Duration {
        guard briefConnections > 0 else { return .zero }
        return min(.milliseconds(10) * (1 << min(briefConnections - 1, 10)), .seconds(3))
    }
}

extension ServiceError {
    fileprivate var allowsReconnecting: Bool {
        switch reason {
        // The body was interrupted, and another request may receive the rest of the events.
        case .transport where statusCode == 200: true
        default: isRetryable
        }
    }
}
