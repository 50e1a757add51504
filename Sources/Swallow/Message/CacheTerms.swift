import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The rules for caches in a response's fields (RFC 9111 §5.2.2, RFC 5861), read once.
struct CacheTerms: Sendable {
    /// For how many seconds the server calls it fresh (RFC 9111 §4.2.1); nil where it doesn't say.
    let statedLifetime: TimeInterval?
    /// A tenth of the time that it had been unchanged for, at most a day (§4.2.2); 0 where nothing may be guessed.
    let guessedLifetime: TimeInterval
    /// The age that the response came with (§5.1).
    let statedAge: TimeInterval
    /// How much older than its `Date` it was when it came.
    let apparentAge: TimeInterval
    /// Whether the server wants to be asked each time, for all fields or for some (§5.2.2.4).
    let asksAlways: Bool
    /// Whether it wants to be asked once the response is stale (§5.2.2.2).
    let asksOnceStale: Bool
    /// For how many seconds a stale response may be used while it is asked for (RFC 5861 §3).
    let whileRevalidating: TimeInterval
    /// For how many it may be used in place of an error (§4).
    let insteadOfError: TimeInterval
    /// Whether nothing of it is to be kept (RFC 9111 §5.2.2.5).
    let forbidsStoring: Bool
    /// Whether the lifetime is counted from the response's `Date`.
    let countsFromDate: Bool

    init(_ response: HTTPURLResponse, receivedAt timestamp: Date) {
        self.init(CacheFields(response), status: response.statusCode, receivedAt: timestamp)
    }

    init(status: Int, fields: [String: String], receivedAt timestamp: Date) {
        self.init(CacheFields(fields), status: status, receivedAt: timestamp)
    }

    private init(_ fields: CacheFields, status: Int, receivedAt timestamp: Date) {
        let control = CacheControl(fields.cacheControl)
        let allowsGuess = Self.allowsGuess(status)
        let date = fields.date.flatMap { HTTPDate.strictDate($0) } ?? timestamp
        let expires = fields.expires
        if let maxAge = control.seconds("max-age") {
            statedLifetime = TimeInterval(maxAge)
        } else {
            statedLifetime = expires.map { HTTPDate.strictDate($0)?.timeIntervalSince(date) ?? 0 }.map {
                max(0, $0)
            }
        }
        countsFromDate = expires != nil && !control.has("max-age")
        let modified = fields.lastModified.flatMap { HTTPDate.strictDate($0) }
        // `public` allows the guess for every other status, too (§4.2.2).
        if let modified, allowsGuess || control.has("public") {
            guessedLifetime = min(86_400, max(0, date.timeIntervalSince(modified) / 10))
        } else {
            guessedLifetime = 0
        }
        // Of a list, the first (§5.1); what is no number is ignored.
        let age = fields.age.flatMap { HTTPSyntax.seconds($0.prefix { $0 != "," }) }
        statedAge = TimeInterval(age ?? 0)
        apparentAge = max(0, timestamp.timeIntervalSince(date))
        // With must-understand, a cache that knows the status ignores no-store; any other keeps nothing (§3, §5.2.2.3).
        forbidsStoring =
            control.has("must-understand")
            ? !allowsGuess : control.has("no-store")
        asksAlways = control.has("no-cache")
        asksOnceStale = control.has("must-revalidate")
        whileRevalidating = TimeInterval(control.seconds("stale-while-revalidate") ?? 0)
        insteadOfError = TimeInterval(control.seconds("stale-if-error") ?? 0)
    }

    var lifetime: TimeInterval { statedLifetime ?? guessedLifetime }

    /// How old the response was when it came: by its `Date`, or by its `Age` and the time that the answer took,
    /// whichever is more (§4.2.3).
    func initialAge(after delay: TimeInterval) -> TimeInterval {
        max(apparentAge, statedAge + (delay > 0 && delay.isFinite ? delay : 0))
    }

    /// Whether a cache may guess the lifetime of a response with this status (RFC 9110 §15.1).
    static func allowsGuess(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }
}

/// What a request's fields ask of caches (RFC 9111 §5.2.1).
struct RequestTerms: Sendable {
    /// Whether the server is to be asked (§5.2.1.4, §5.4).
    let asksServer: Bool
    /// Whether nothing is to be sent (§5.2.1.7).
    let asksOnlyCaches: Bool
    let maxAge: TimeInterval?
    let minFresh: TimeInterval?
    /// How stale a response may be; infinite without a value.
    let maxStale: TimeInterval?
    /// For how long a stale response may take an error's place (RFC 5861 §4).
    let insteadOfError: TimeInterval?

    init(_ request: URLRequest) {
        let fields = CacheFields(request.allHTTPHeaderFields ?? [:])
        let control = CacheControl(fields.cacheControl)
        let pragma = fields.cacheControl == nil ? fields.pragma : nil
        asksServer = control.has("no-cache") || pragma.map { CacheControl($0).has("no-cache") } ?? false
        asksOnlyCaches = control.has("only-if-cached")
        maxAge = control.seconds("max-age").map { TimeInterval($0) }
        minFresh = control.seconds("min-fresh").map { TimeInterval($0) }
        maxStale =
            control.isBare("max-stale") ? .infinity : control.seconds("max-stale").map { TimeInterval($0) }
        insteadOfError = control.seconds("stale-if-error").map { TimeInterval($0) }
    }

    /// Whether a cached response may be used.
    ///
    /// - Parameters:
    ///   - age: in seconds.
    ///   - remaining: in how many seconds it will be stale; negative once it is.
    func allow(age: TimeInterval, remaining: TimeInterval) -> Bool {
        if asksServer { return false }
        if let maxAge, age > maxAge { return false }
        if let minFresh { return remaining >= minFresh && remaining > 0 }
        return remaining > 0 || maxStale.map { -remaining <= $0 } ?? false
    }

    /// Whether the request itself says how fresh its response must be.
    var limitsAge: Bool { asksServer || maxAge != nil || minFresh != nil }
}

/// The fields that caches go by, found in one pass: on Linux each look-up goes through all of them.
private struct CacheFields {
    private(set) var cacheControl: String?
    private(set) var pragma: String?
    private(set) var date: String?
    private(set) var expires: String?
    private(set) var lastModified: String?
    private(set) var age: String?

    init(_ response: HTTPURLResponse) {
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { take(name, value) }
        }
    }

    init(_ fields: [String: String]) {
        for (name, value) in fields { take(name, value) }
    }

    private mutating func take(_ name: String, _ value: String) {
        // Most names are told from these by their length.
        guard [3, 4, 6, 7, 13].contains(name.utf8.count) else { return }
        switch name.lowercased() {
        case "cache-control": cacheControl = value
        case "pragma": pragma = value
        case "date": date = value
        case "expires": expires = value
        case "last-modified": lastModified = value
        case "age": age = value
        default: break
        }
    }
}

/// The directives of a `Cache-Control` field (RFC 9111 §5.2).
///
/// A list whose elements may hold quoted strings (RFC 9110 §5.6.1, §5.6.4). An illegal directive counts as given
/// without a value: because of it, a response is never kept or used for longer.
struct CacheControl: Sendable {
    private struct Directive: Sendable {
        let name: String
        /// Without its quotes; nil where there is none.
        let argument: String?
    }

    private let directives: [Directive]

    init(_ field: String?) {
        directives = field.map { HTTPSyntax.parts(of: $0).compactMap(Self.directive) } ?? []
    }

    var isEmpty: Bool { directives.isEmpty }

    /// Whether there is a directive, with a value or without.
    func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// The value of a directive in seconds: 0 where it isn't a number (§4.2.1), the least where there are several, nil
    /// where there is none.
    func seconds(_ name: String) -> Int? {
        directives.lazy.filter { $0.name == name }
            .map { $0.argument.flatMap { HTTPSyntax.seconds($0) } ?? 0 }.min()
    }

    /// Whether a directive stands alone, without a value.
    func isBare(_ name: String) -> Bool { directives.contains { $0.name == name && $0.argument == nil } }

    private static func directive(_ element: Substring) -> Directive? {
        let text = element.trimmingSpaces
        if text.utf8.isEmpty { return nil }
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return Directive(name: text.lowercased(), argument: nil)
        }
        let (name, value) = (text[..<equals], text[text.utf8.index(after: equals)...])
        // White space around the equals sign isn't legal.
        let isLegal =
            name.utf8.last.map(HTTPSyntax.isSpace) == false
            && value.utf8.first.map(HTTPSyntax.isSpace) == false
        return Directive(name: name.trimmingSpaces.lowercased(), argument: isLegal ? unquoted(value) : "")
    }

    /// A value without its quotes; empty for a string that doesn't end where it should.
    private static func unquoted(_ value: Substring) -> String {
        guard value.utf8.first == UInt8(ascii: "\"") else { return String(value) }
        var bytes: [UInt8] = []
        var rest = value.utf8.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") {
                return rest.isEmpty ? String(decoding: bytes, as: UTF8.self) : ""
            }
            if byte == UInt8(ascii: "\\"), let next = rest.popFirst() {
                bytes.append(next)
            } else {
                bytes.append(byte)
            }
        }
        return ""
    }
}
