import Foundation

/// The freshness of a response (RFC 9111 §4.2).
public struct Freshness: Sendable, Hashable {
    /// The time since the server sent or confirmed the response, as far as it can be determined (§4.2.3).
    public let age: Duration
    /// The time for which the response may be served without validation (§4.2.1). If the server doesn't state it, it is
    /// a heuristic value, or zero if there is no basis for one.
    public let lifetime: Duration
    /// Whether the lifetime is heuristic: a tenth of the time for which the resource had been unchanged, at most a day
    /// (§4.2.2).
    package let isHeuristic: Bool

    package init(age: Duration, lifetime: Duration, isHeuristic: Bool = false) {
        (self.age, self.lifetime, self.isHeuristic) = (age, lifetime, isHeuristic)
    }

    /// Creates the freshness of a response that has just arrived.
    init(of response: HTTPURLResponse, receivedAt timestamp: Date) {
        let directives = ResponseDirectives(response, receivedAt: timestamp)
        self.init(directives, age: directives.initialAge(after: 0))
    }

    /// - Parameter age: The age in seconds.
    init(_ directives: ResponseDirectives, age: TimeInterval) {
        self.init(
            age: Self.duration(age), lifetime: Self.duration(directives.lifetime),
            isHeuristic: directives.statedLifetime == nil && directives.heuristicLifetime > 0)
    }

    /// Returns a duration of at most 1e12 s, because longer durations trap.
    static func duration(_ seconds: TimeInterval) -> Duration { .seconds(min(seconds, 1e12)) }

    /// Whether the response may be served without validation.
    public var isFresh: Bool { age < lifetime }

    /// The remaining time until the response is stale. Zero for a stale response.
    package var freshFor: Duration { max(.zero, lifetime - age) }

    /// The time since the response became stale. Zero for a fresh response.
    package var staleFor: Duration { max(.zero, age - lifetime) }
}
