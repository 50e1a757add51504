import Foundation

struct Reconnection: Sendable {
    enum Step: Sendable {
        case wait(Duration)
        case fail(ServiceError)
        case end
    }

    var serverTime = Duration.seconds(3)
    private(set) var failures = 0
    /// The number of connections in a row that ended within a tenth of a second, with or without an event.
    private var briefConnections = 0
    private var start: Date?
    /// A random number from 0 to 1.
    var chance: @Sendable () -> Double = { .random(in: 0...1) }

    mutating func begin(at now: Date) { start = now }

    mutating func noteEvent() { failures = 0 }

    /// `error` is `nil` if the response was complete.
    mutating func step(after error: ServiceError?, now: Date) -> Step {
        if let error, !error.mendsByConnecting { return .fail(error) }
        let isBrief = start.map { now.timeIntervalSince($0) < 0.1 } ?? false
        briefConnections = isBrief ? briefConnections + 1 : 0
        let delay = delay
        failures += 1
        let field = error?.response?.value(forHTTPHeaderField: "Retry-After")
        return .wait(max(delay, field.flatMap { RetryAfter.delay($0, now: now) } ?? .zero))
    }

    /// At least the server's delay, and at least 0.1 s after a failure. The maximum doubles with each failure.
    private var delay: Duration {
        let shortest = max(serverTime, floor, failures == 0 ? .zero : .milliseconds(100))
        let doubled = shortest * (1 << min(failures, 10))
        let longest = max(min(doubled, .seconds(60)), shortest * 1.2)
        return shortest + (longest - shortest) * chance()
    }

    /// Without this minimum, a server that closes each connection could receive a thousand requests a second.
    private var floor: Duration {
        guard briefConnections > 0 else { return .zero }
        return min(.milliseconds(10) * (1 << min(briefConnections - 1, 10)), .seconds(3))
    }
}

extension ServiceError {
    /// Whether the next connection may succeed.
    fileprivate var mendsByConnecting: Bool {
        switch reason {
        // The body was interrupted, for whatever reason.
        case .transport where statusCode == 200: true
        default: isRetryable
        }
    }
}
