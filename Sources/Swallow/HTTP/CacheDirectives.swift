import Foundation

/// The caching rules in a response's fields (RFC 9111 §5.2.2, RFC 5861), parsed once.
struct ResponseDirectives: Sendable {
    /// The freshness lifetime that the server states, in seconds (RFC 9111 §4.2.1). `nil` if it doesn't state one.
    let statedLifetime: TimeInterval?
    /// The heuristic lifetime in seconds: a tenth of the time for which the resource had been unchanged, at most a day
    /// (§4.2.2). 0 if the response must not have a heuristic lifetime.
    let heuristicLifetime: TimeInterval
    /// The value of the response's `Age` field in seconds (§5.1).
    let statedAge: TimeInterval
    /// The difference between the time of arrival and the response's `Date`, in seconds.
    let apparentAge: TimeInterval
    /// Whether the server requires validation before each reuse, for all fields or for some (§5.2.2.4).
    let requiresValidation: Bool
    /// Whether the server requires validation when the response is stale (§5.2.2.2).
    let mustRevalidate: Bool
    /// The time in seconds for which a stale response may be served while it is validated (RFC 5861 §3).
    let staleWhileRevalidate: TimeInterval
    /// The time in seconds for which a stale response may be served in place of an error (RFC 5861 §4).
    let staleIfError: TimeInterval
    /// Whether the response must not be stored (RFC 9111 §5.2.2.5).
    let forbidsStoring: Bool
    /// Whether the lifetime is counted from the response's `Date`.
    let countsFromDate: Bool

    init(_ response: HTTPURLResponse, receivedAt timestamp: Date) {
        self.init(status: response.statusCode, fields: response.fields, receivedAt: timestamp)
    }

    init(status: Int, fields: [String: String], receivedAt timestamp: Date) {
        let fields = fields.named(["age", "cache-control", "date", "expires", "last-modified"])
        let control = CacheControl(fields["cache-control"])
        let allowsHeuristic = Self.allowsHeuristic(status)
        let date = fields["date"].flatMap { HTTPDate.strictDate($0) } ?? timestamp
        let expires = fields["expires"]
        let maxAge = control.seconds("max-age")
        statedLifetime =
            maxAge.map { TimeInterval($0) }
            ?? expires.map { max(0, HTTPDate.strictDate($0)?.timeIntervalSince(date) ?? 0) }
        countsFromDate = expires != nil && maxAge == nil
        let modified = fields["last-modified"].flatMap { HTTPDate.strictDate($0) }
        // `public` also allows the heuristic for all other statuses (§4.2.2).
        if let modified, allowsHeuristic || control.has("public") {
            heuristicLifetime = min(86_400, max(0, date.timeIntervalSince(modified) / 10))
        } else {
            heuristicLifetime = 0
        }
        // In a list, the first value counts (§5.1). A value that isn't a number is ignored.
        let age = fields["age"].flatMap { HTTPSyntax.seconds($0.prefix { $0 != "," }) }
        statedAge = TimeInterval(age ?? 0)
        apparentAge = max(0, timestamp.timeIntervalSince(date))
        // With `must-understand`, a cache that knows the status ignores `no-store`. All other caches must not store the
        // response (§3, §5.2.2.3).
        forbidsStoring = control.has("must-understand") ? !allowsHeuristic : control.has("no-store")
        requiresValidation = control.has("no-cache")
        mustRevalidate = control.has("must-revalidate")
        staleWhileRevalidate = TimeInterval(control.seconds("stale-while-revalidate") ?? 0)
        staleIfError = TimeInterval(control.seconds("stale-if-error") ?? 0)
    }

    var lifetime: TimeInterval { statedLifetime ?? heuristicLifetime }

    /// Returns the age of the response at its arrival. It is derived from `Date`, or from `Age` and the time that the
    /// response took, whichever is greater (§4.2.3).
    func initialAge(after delay: TimeInterval) -> TimeInterval {
        max(apparentAge, statedAge + (delay > 0 && delay.isFinite ? delay : 0))
    }

    /// Returns whether a response with this status may have a heuristic lifetime (RFC 9110 §15.1).
    static func allowsHeuristic(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }
}

/// The directives for caches in a request's fields (RFC 9111 §5.2.1).
struct RequestDirectives: Sendable {
    /// Whether the request requires validation (§5.2.1.4, §5.4).
    let requiresValidation: Bool
    /// Whether the request must not be sent (§5.2.1.7).
    let onlyIfCached: Bool
    let maxAge: TimeInterval?
    let minFresh: TimeInterval?
    /// The maximum staleness in seconds. Infinite if the directive has no value.
    let maxStale: TimeInterval?
    /// The time in seconds for which a stale response may be served in place of an error (RFC 5861 §4).
    let staleIfError: TimeInterval?

    init(_ request: URLRequest) {
        let fields = (request.allHTTPHeaderFields ?? [:]).named(["cache-control", "pragma"])
        let control = CacheControl(fields["cache-control"])
        let pragma = fields["cache-control"] == nil ? CacheControl(fields["pragma"]) : nil
        requiresValidation = control.has("no-cache") || pragma?.has("no-cache") == true
        onlyIfCached = control.has("only-if-cached")
        maxAge = control.seconds("max-age").map { TimeInterval($0) }
        minFresh = control.seconds("min-fresh").map { TimeInterval($0) }
        maxStale =
            control.isBare("max-stale") ? .infinity : control.seconds("max-stale").map { TimeInterval($0) }
        staleIfError = control.seconds("stale-if-error").map { TimeInterval($0) }
    }

    /// Returns whether a cached response may be served.
    ///
    /// - Parameters:
    ///   - age: The age of the response, in seconds.
    ///   - remaining: The time until the response is stale, in seconds. It is negative for a stale response.
    func allow(age: TimeInterval, remaining: TimeInterval) -> Bool {
        if requiresValidation { return false }
        if let maxAge, age > maxAge { return false }
        if let minFresh { return remaining >= minFresh && remaining > 0 }
        return remaining > 0 || maxStale.map { -remaining <= $0 } ?? false
    }

    /// Whether the request itself limits the age of its response.
    var limitsAge: Bool { requiresValidation || maxAge != nil || minFresh != nil }
}

extension [String: String] {
    /// Returns the fields with some names, by lowercase name. One pass finds all of them.
    func named(_ names: Set<String>) -> [String: String] {
        var found: [String: String] = [:]
        for (name, value) in self {
            let name = name.lowercased()
            if names.contains(name) { found[name] = value }
        }
        return found
    }
}

/// The directives of a `Cache-Control` field (RFC 9111 §5.2).
///
/// The field is a list whose elements may contain quoted strings (RFC 9110 §5.6.1, §5.6.4). An illegal directive counts
/// as a directive without a value, so it never extends the time for which a response is stored or served.
struct CacheControl: Sendable {
    private struct Directive: Sendable {
        let name: String
        /// The value without its quotes, or `nil` if there is no value.
        let argument: String?
    }

    private let directives: [Directive]

    init(_ field: String?) {
        directives = field.map { HTTPSyntax.parts(of: $0).compactMap(Self.directive) } ?? []
    }

    /// Returns whether there is a directive with this name, with or without a value.
    func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// Returns the value of a directive in seconds. Returns 0 if the value isn't a number (§4.2.1), the lowest value if
    /// there are several directives, and `nil` if there is none.
    func seconds(_ name: String) -> Int? {
        directives.lazy.filter { $0.name == name }
            .map { $0.argument.flatMap { HTTPSyntax.seconds($0) } ?? 0 }.min()
    }

    /// Returns whether there is a directive with this name and without a value.
    func isBare(_ name: String) -> Bool { directives.contains { $0.name == name && $0.argument == nil } }

    private static func directive(_ element: Substring) -> Directive? {
        let text = element.trimmingSpaces
        var scanner = FieldScanner(text)
        let name = scanner.text(before: "=")
        guard scanner.skip("=") else {
            return name.isEmpty ? nil : Directive(name: name.lowercased(), argument: nil)
        }
        let hasSpace =
            name.utf8.last.map(HTTPSyntax.isSpace) ?? true || scanner.next.map(HTTPSyntax.isSpace) ?? true
        var argument = String(scanner.rest)
        if scanner.skip("\"") {
            argument = scanner.quotedString()
            // The closing quote must exist and be the last character.
            if !scanner.rest.isEmpty || text.utf8.last != UInt8(ascii: "\"") { argument = "" }
        }
        return Directive(name: name.trimmingSpaces.lowercased(), argument: hasSpace ? "" : argument)
    }
}
