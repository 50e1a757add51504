import Foundation

/// The rules for caches in a response's fields (RFC 9111 §5.2.2, RFC 5861). All times are in seconds.
struct ResponseDirectives: Sendable {
    private static let names: Set = ["age", "cache-control", "date", "expires", "last-modified"]

    /// The freshness lifetime that the server states, in seconds (RFC 9111 §4.2.1). `nil` if it states none.
    let statedLifetime: TimeInterval?
    /// The lifetime in seconds if the server states none, at most a day. 0 if there is no basis (RFC 9111 §4.2.2).
    let heuristicLifetime: TimeInterval
    /// The response's `Age` in seconds, or 0 without a valid field (RFC 9111 §5.1).
    private let statedAge: TimeInterval
    /// The time from the response's `Date` to its arrival, in seconds. 0 if `Date` is later, missing or invalid.
    private let apparentAge: TimeInterval
    /// Whether the response has `no-cache`, even if only for some of its fields (RFC 9111 §5.2.2.4).
    let requiresValidation: Bool
    let mustRevalidate: Bool
    let staleWhileRevalidate: TimeInterval
    let staleIfError: TimeInterval
    let forbidsStoring: Bool
    /// Whether the lifetime is from `Expires`, and not from `max-age`.
    let countsFromDate: Bool

    init(_ response: HTTPURLResponse, receivedAt timestamp: Date) {
        self.init(status: response.statusCode, fields: response.fields, receivedAt: timestamp)
    }

    init(status: Int, fields: [String: String], receivedAt timestamp: Date) {
        let fields = fields.named(Self.names)
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
        if let modified, allowsHeuristic || control.has("public") {
            heuristicLifetime = min(86_400, max(0, date.timeIntervalSince(modified) / 10))
        } else {
            heuristicLifetime = 0
        }
        // In a list, only the first value counts (§5.1). A value that isn't a number is ignored.
        let age = fields["age"].flatMap { HTTPSyntax.seconds($0.prefix { $0 != "," }) }
        statedAge = TimeInterval(age ?? 0)
        apparentAge = max(0, timestamp.timeIntervalSince(date))
        // With `must-understand`, `no-store` doesn't apply, and only caches that know the status may store (§5.2.2.3).
        forbidsStoring = control.has("must-understand") ? !allowsHeuristic : control.has("no-store")
        requiresValidation = control.has("no-cache")
        mustRevalidate = control.has("must-revalidate")
        staleWhileRevalidate = TimeInterval(control.seconds("stale-while-revalidate") ?? 0)
        staleIfError = TimeInterval(control.seconds("stale-if-error") ?? 0)
    }

    var lifetime: TimeInterval { statedLifetime ?? heuristicLifetime }

    /// Returns the response's age at its arrival, in seconds (RFC 9111 §4.2.3). The response took `delay` seconds.
    func initialAge(after delay: TimeInterval) -> TimeInterval {
        max(apparentAge, statedAge + (delay > 0 && delay.isFinite ? delay : 0))
    }

    static func allowsHeuristic(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }
}

/// The directives for caches in a request's fields (RFC 9111 §5.2.1). All times are in seconds.
struct RequestDirectives: Sendable {
    private static let names: Set = ["cache-control", "pragma"]

    /// Whether caches must validate each response before they serve it (RFC 9111 §5.2.1.4, §5.4).
    let requiresValidation: Bool
    let onlyIfCached: Bool
    let maxAge: TimeInterval?
    let minFresh: TimeInterval?
    /// The maximum time since a served response became stale, in seconds. Infinite if `max-stale` has no value.
    let maxStale: TimeInterval?
    let staleIfError: TimeInterval?

    init(_ request: URLRequest) {
        let fields = (request.allHTTPHeaderFields ?? [:]).named(Self.names)
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

    /// Returns whether a response may be served without validation. `remaining` is the rest of its lifetime in seconds.
    func allow(age: TimeInterval, remaining: TimeInterval) -> Bool {
        if requiresValidation { return false }
        if let maxAge, age > maxAge { return false }
        if let minFresh { return remaining >= minFresh && remaining > 0 }
        return remaining > 0 || maxStale.map { -remaining <= $0 } ?? false
    }

    var limitsAge: Bool { requiresValidation || maxAge != nil || minFresh != nil }
}

extension [String: String] {
    func named(_ names: Set<String>) -> [String: String] {
        var found: [String: String] = [:]
        for (name, value) in self {
            let name = name.lowercased()
            if names.contains(name) { found[name] = value }
        }
        return found
    }
}

/// The directives of a `Cache-Control` field (RFC 9111 §5.2). A malformed number of seconds counts as 0.
struct CacheControl: Sendable {
    private struct Directive: Sendable {
        let name: String
        let argument: String?
    }

    private let directives: [Directive]

    init(_ field: String?) {
        directives = field.map { HTTPSyntax.parts(of: $0).compactMap(Self.directive) } ?? []
    }

    func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// Returns a directive's lowest value in seconds. `nil` without the directive, 0 if one isn't a number (§4.2.1).
    func seconds(_ name: String) -> Int? {
        directives.lazy.filter { $0.name == name }
            .map { $0.argument.flatMap { HTTPSyntax.seconds($0) } ?? 0 }.min()
    }

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
            if !scanner.rest.isEmpty || text.utf8.last != UInt8(ascii: "\"") { argument = "" }
        }
        return Directive(name: name.trimmingSpaces.lowercased(), argument: hasSpace ? "" : argument)
    }
}
