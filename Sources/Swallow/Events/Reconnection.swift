import Foundation

/// Whether, and when, an event source connects again: the decisions, without the calls.
struct Reconnection: Sendable {
    enum Step: Sendable {
        case wait(Duration)
        case fail(ServiceError)
        case end
    }

    /// What the server wants to lie between two connections.
    var serverTime = Duration.seconds(3)
    /// How many connections in a row have given no event.
    private(set) var failures = 0
    /// How many in a row have ended at once, with or without an event.
    private var briefConnections = 0
    /// When the latest one began.
    private var start: Date?
    /// Gives a number from 0 to 1.
    var chance: @Sendable () -> Double = { .random(in: 0...1) }

    mutating func begin(at now: Date) { start = now }

    mutating func noteEvent() { failures = 0 }

    /// Decides what follows the end of a connection.
    ///
    /// - Parameter error: nil where the response was complete.
    mutating func step(after error: ServiceError?, now: Date) -> Step {
        if let error, !error.mendsByConnecting { return .fail(error) }
        let isBrief = start.map { now.timeIntervalSince($0) < 0.1 } ?? false
        briefConnections = isBrief ? briefConnections + 1 : 0
        let delay = delay
        failures += 1
        let field = error?.response?.value(forHTTPHeaderField: "Retry-After")
        return .wait(max(delay, field.flatMap { RetryAfter.delay($0, now: now) } ?? .zero))
    }

    /// From what the server wants, or a tenth of a second after a failure, to that doubled with each failure.
    private var delay: Duration {
        let shortest = max(serverTime, floor, failures == 0 ? .zero : .milliseconds(100))
        let doubled = shortest * (1 << min(failures, 10))
        let longest = max(min(doubled, .seconds(60)), shortest * 1.2)
        return shortest + (longest - shortest) * chance()
    }

    /// What keeps a server that wants no pause, and ends each connection, from being asked a thousand times a second.
    private var floor: Duration {
        guard briefConnections > 0 else { return .zero }
        return min(.milliseconds(10) * (1 << min(briefConnections - 1, 10)), .seconds(3))
    }
}

extension ServiceError {
    /// Whether the next connection may do better.
    fileprivate var mendsByConnecting: Bool {
        switch reason {
        // A body that broke off, for whatever reason.
        case .transport where statusCode == 200: true
        default: isRetryable
        }
    }
}
