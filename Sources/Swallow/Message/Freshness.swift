import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How fresh a response is (RFC 9111 §4.2).
public struct Freshness: Sendable, Hashable {
    /// How long ago the server sent or confirmed it, as far as that can be known (§4.2.3).
    public let age: Duration
    /// For how long it may be used without asking the server (§4.2.1); a guess where the server doesn't say, zero where
    /// nothing can be guessed.
    public let lifetime: Duration
    /// Whether the lifetime is a guess: a tenth of the time that it had been unchanged for, at most a day (§4.2.2).
    package let isHeuristic: Bool

    package init(age: Duration, lifetime: Duration, isHeuristic: Bool = false) {
        (self.age, self.lifetime, self.isHeuristic) = (age, lifetime, isHeuristic)
    }

    /// The freshness of a response that has just come.
    init(of response: HTTPURLResponse, receivedAt timestamp: Date) {
        let terms = CacheTerms(response, receivedAt: timestamp)
        self.init(terms, age: terms.initialAge(after: 0))
    }

    /// - Parameter age: in seconds.
    init(_ terms: CacheTerms, age: TimeInterval) {
        self.init(
            age: Self.duration(age), lifetime: Self.duration(terms.lifetime),
            isHeuristic: terms.statedLifetime == nil && terms.guessedLifetime > 0)
    }

    /// A duration of at most 1e12 s, since longer ones trap.
    static func duration(_ seconds: TimeInterval) -> Duration { .seconds(min(seconds, 1e12)) }

    /// Whether the response may be used without asking the server.
    public var isFresh: Bool { age < lifetime }

    /// For how much longer it is fresh; zero once it is stale.
    package var freshFor: Duration { max(.zero, lifetime - age) }

    /// For how long it has been stale; zero while it is fresh.
    package var staleFor: Duration { max(.zero, age - lifetime) }
}
