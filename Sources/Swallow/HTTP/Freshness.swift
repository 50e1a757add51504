import Foundation

/// The freshness of a response: its age, compared with its lifetime (RFC 9111 §4.2).
public struct Freshness: Sendable, Hashable {
    /// The time since the server sent or confirmed the response, as far as that is known (RFC 9111 §4.2.3).
    public let age: Duration
    /// The age from which the response is stale, stated by the server or estimated. Zero if unknown (RFC 9111 §4.2.1).
    public let lifetime: Duration

    package init(age: Duration, lifetime: Duration) {
        (self.age, self.lifetime) = (age, lifetime)
    }

    init(_ directives: ResponseDirectives, age: TimeInterval) {
        self.init(age: Self.duration(age), lifetime: Self.duration(directives.lifetime))
    }

    /// Returns a duration of at most 1e12 s, because much longer durations trap.
    static func duration(_ seconds: TimeInterval) -> Duration { .seconds(min(seconds, 1e12)) }

    /// Whether the age is less than the lifetime. A fresh response with `no-cache` may still need validation.
    public var isFresh: Bool { age < lifetime }

    package var staleFor: Duration { max(.zero, age - lifetime) }
}
