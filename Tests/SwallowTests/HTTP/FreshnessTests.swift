import Foundation
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Cache-Control is parsed as RFC 9110 and RFC 9111 specify")
struct CacheControlTests {
    @Test(
        "A directive's seconds are digits, with or without quotes, and any other value is 0",
        arguments: [
            ("max-age=60", 60), ("MAX-age=60", 60), ("private, max-age=60", 60), (" max-age=60 ,x", 60),
            ("max-age=\"60\"", 60), ("max-age=\"6\\0\"", 60), ("max-age=0060", 60), (",,max-age=60,", 60),
            ("x=\"max-age=1\", max-age=60", 60), ("x=\"a,max-age=1\", max-age=60", 60),
            ("x=\"\\\", max-age=1\", max-age=60", 60), ("max-age=60, max-age=60", 60),
            ("max-age=60, max-age=5", 5), ("max-age=5, max-age=60", 5), ("max-age=60, max-age=x", 0),
            ("max-age=99999999999999999999999", 1 << 31), ("max-age=-1", 0), ("max-age=1.5", 0),
            ("max-age=60.0", 0), ("max-age='60'", 0), ("max-age=", 0), ("max-age", 0), ("max-age=\"60", 0),
            ("max-age=\"60\"x", 0), ("max-age= 60", 0), ("max-age =60", 0), ("max-age=60 1", 0),
            ("max-age=60;x", 0), ("max-age=+60", 0), ("max-age=0x60", 0), ("max-age=6０", 0),
        ] as [(String, Int)])
    func seconds(field: String, seconds: Int) {
        #expect(CacheControl(field).seconds("max-age") == seconds)
    }

    @Test(
        "A directive that is missing has no seconds",
        arguments: [
            "", ",", "max-agex=60", "xmax-age=60", "s-maxage=60", "x=\"max-age=60\"", "x=\"max-age=60",
            "max_age=60",
        ])
    func none(field: String) {
        #expect(CacheControl(field).seconds("max-age") == nil)
    }

    @Test("Directives are found with and without a value, and not inside quotes")
    func names() {
        let control = CacheControl("No-Cache=\"Set-Cookie, X\", x=\"no-store\", must-revalidate")
        #expect(control.has("no-cache") && control.has("must-revalidate") && !control.has("no-store"))
        #expect(!control.has("set-cookie") && !control.has("x\""))
        #expect(
            CacheControl("max-stale").isBare("max-stale") && !CacheControl("max-stale=5").isBare("max-stale"))
        #expect(CacheControl(nil).seconds("max-age") == nil && CacheControl("").seconds("max-age") == nil)
    }

    @Test("A long field of any characters is parsed without a trap")
    func long() {
        for piece in [",", "\"", "\\", "=", "a=\"b\",", "\"\\", "é,", "\u{0}="] {
            let field = String(repeating: piece, count: 20_000) + ",max-age=5"
            _ = CacheControl(field).seconds("max-age")
        }
        #expect(CacheControl(String(repeating: "a=b,", count: 20_000) + "max-age=5").seconds("max-age") == 5)
    }
}

@Suite("Freshness (RFC 9111 §4.2)")
struct FreshnessTests {
    private static let received = Date(timeIntervalSince1970: 1_795_327_200)
    private static let date = "Sun, 22 Nov 2026 06:00:00 GMT"

    struct Case: Sendable, CustomTestStringConvertible {
        let fields: [String: String]
        let lifetime: Double
        var age = 0.0
        var status = 200

        init(_ fields: [String: String], lifetime: Double, age: Double = 0, status: Int = 200) {
            (self.fields, self.lifetime, self.age, self.status) = (fields, lifetime, age, status)
        }

        var testDescription: String { "\(status) \(fields)" }
    }

    private func cached(_ fields: [String: String], status: Int = 200, delay: TimeInterval = 0) throws
        -> CachedResponse
    {
        let request = try sampleRequest()
        let url = try #require(request.url)
        let head = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields))
        return CachedResponse(
            response: head, data: Data(), timestamp: Self.received,
            requestTimestamp: Self.received.addingTimeInterval(-delay), for: request)
    }

    private static let dated = ["Date": date]

    @Test("The tests' date and the tests' instant are the same time")
    func instant() {
        #expect(HTTPDate.strictDate(Self.date) == Self.received)
    }

    // MARK: - §4.2.1

    private static let lifetimes: [Case] = [
        Case(["Cache-Control": "max-age=60"], lifetime: 60),
        Case(["Cache-Control": "max-age=60", "Expires": "0"], lifetime: 60),
        Case(["Cache-Control": "max-age=0", "Expires": "Sun, 22 Nov 2026 07:00:00 GMT"], lifetime: 0),
        Case(["Cache-Control": "max-age=x", "Expires": "Sun, 22 Nov 2026 07:00:00 GMT"], lifetime: 0),
        // s-maxage doesn't apply to a private cache.
        Case(["Cache-Control": "s-maxage=60"], lifetime: 0),
        Case(["Cache-Control": "s-maxage=1, max-age=60"], lifetime: 60),
        Case(["Expires": "Sun, 22 Nov 2026 07:00:00 GMT", "Date": date], lifetime: 3600),
        Case(["Expires": "Sun, 22 Nov 2026 07:00:00 GMT"], lifetime: 3600),
        Case(["Expires": "Sun, 22 Nov 2026 07:00:00 GMT", "Date": "nonsense"], lifetime: 3600),
        Case(
            ["Expires": "Sun, 22 Nov 2026 07:00:00 GMT", "Date": "Sun, 22 Nov 2026 06:59:00 GMT"],
            lifetime: 60),
        Case(["Expires": date, "Date": date], lifetime: 0),
        Case(["Expires": "Sun, 22 Nov 2026 05:00:00 GMT", "Date": date], lifetime: 0),
        Case(["Expires": "0"], lifetime: 0), Case(["Expires": ""], lifetime: 0),
        Case(["Expires": "Sun, 22 Nov 2026 07:00:00 GMT, Sun, 22 Nov 2026 08:00:00 GMT"], lifetime: 0),
        Case([:], lifetime: 0),
        Case(dated, lifetime: 0),
    ]

    @Test("The lifetime is max-age, otherwise the time until Expires, otherwise zero", arguments: lifetimes)
    func lifetime(_ rule: Case) throws {
        let freshness = try cached(rule.fields, status: rule.status).freshness(at: Self.received)
        #expect(freshness.lifetime == .seconds(rule.lifetime))
        #expect(freshness.isFresh == (rule.lifetime > 0))
    }

    @Test("The response to a redirected request has a lifetime of zero, whatever its fields")
    func redirected() throws {
        let url = try #require(URL(string: "http://service.test/led"))
        let head = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil,
                headerFields: ["Cache-Control": "max-age=60", "Date": Self.date]))
        let response = CachedResponse(
            response: head, data: Data(), timestamp: Self.received, requestTimestamp: Self.received,
            for: try sampleRequest())
        let freshness = response.freshness(at: Self.received.addingTimeInterval(5))
        #expect(freshness == Freshness(age: .seconds(5), lifetime: .zero) && !freshness.isFresh)
    }

    @Test(
        "Expires can have any of the three date formats",
        arguments: [
            "Sun, 22 Nov 2026 06:01:00 GMT", "sun, 22 nov 2026 06:01:00 gmt",
            "Sunday, 22-Nov-26 06:01:00 GMT",
            "Sun Nov 22 06:01:00 2026",
        ])
    func dateForms(text: String) throws {
        #expect(try cached(["Expires": text]).freshness(at: Self.received).lifetime == .seconds(60))
    }

    @Test(
        "An Expires field that isn't a valid date counts as expired",
        arguments: [
            "Sun, 22 Nov 2026 07:00:00 UTC", "Sun, 22 Nov 2026 07:00:00 +0000",
            "Sun, 22 Nov 2026 07:00:00 EST",
            "Sun, 22 Nov 2026 07:00:00", "Sun, 22 Nov 2026 07:00 GMT", "Sun, 22 Nov 26 07:00:00 GMT",
            "22 Nov 2026 07:00:00 GMT", "Sun 22 Nov 2026 07:00:00 GMT", "Sun, 22 Nov 2026  07:00:00 GMT",
            "Sun,  22 Nov 2026 07:00:00 GMT", "Sun, 22-Nov-2026 07:00:00 GMT", "Sun, 22 Nov 2026 7:00:00 GMT",
            "Sun, 22 Nov 2026 07.00.00 GMT", "Sun, 2 Nov 2026 07:00:00 GMT", "Sun, 32 Nov 2026 07:00:00 GMT",
            "Sun, 22 Nov 2026 25:00:00 GMT", "Foo, 22 Nov 2026 07:00:00 GMT", "Sun, 22 Foo 2026 07:00:00 GMT",
            "Sunday, 22 Nov 2026 07:00:00 GMT", "2026-11-22T07:00:00Z", "1795330800", "-1",
            "Sun, 22 Nov 2026 07:00:00 GMT GMT", "Sun, 22 Nov 2026 07:00:00 GMT, x",
        ])
    func noDates(text: String) throws {
        #expect(try cached(["Expires": text]).freshness(at: Self.received).lifetime == .zero)
    }

    // MARK: - §4.2.2

    private static let guesses: [Case] =
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].map {
            Case(["Last-Modified": "Sun, 22 Nov 2026 05:00:00 GMT", "Date": date], lifetime: 360, status: $0)
        }
        + [201, 202, 206, 302, 303, 307, 400, 403, 500, 503, 599].map {
            Case(["Last-Modified": "Sun, 22 Nov 2026 05:00:00 GMT", "Date": date], lifetime: 0, status: $0)
        }
        // The server may declare that a response with any status can be stored.
        + [200, 201, 299, 599].map {
            Case(
                [
                    "Cache-Control": "public", "Last-Modified": "Sun, 22 Nov 2026 05:00:00 GMT", "Date": date,
                ], lifetime: 360, status: $0)
        }
        + [
            Case(["Last-Modified": "Fri, 22 Nov 2024 05:00:00 GMT"], lifetime: 86_400),
            Case(["Last-Modified": "Sun, 22 Nov 2026 07:00:00 GMT"], lifetime: 0),
            Case(["Last-Modified": "yesterday"], lifetime: 0),
        ]

    @Test(
        "Without a lifetime, a tenth of the time since Last-Modified is used, at most a day",
        arguments: guesses)
    func guess(_ rule: Case) throws {
        let freshness = try cached(rule.fields, status: rule.status).freshness(at: Self.received)
        #expect(freshness.lifetime == .seconds(rule.lifetime))
    }

    @Test(
        "A field with a lifetime prevents the heuristic, even if its value is invalid",
        arguments: ["Expires", "Cache-Control"])
    func noGuess(name: String) throws {
        let value = name == "Expires" ? "0" : "max-age=nonsense"
        let fields = ["Last-Modified": "Sun, 22 Nov 2026 05:00:00 GMT", name: value]
        let freshness = try cached(fields).freshness(at: Self.received)
        #expect(freshness.lifetime == .zero)
    }

    // MARK: - §4.2.3

    private static let ages: [Case] = [
        Case([:], lifetime: 60, age: 0),
        Case(["Age": "7"], lifetime: 60, age: 7),
        Case(["Age": "7, 50"], lifetime: 60, age: 7),
        Case(["Age": " 7 "], lifetime: 60, age: 7),
        Case(["Age": "-7"], lifetime: 60, age: 0),
        Case(["Age": "7.0"], lifetime: 60, age: 0),
        Case(["Age": "7;x=1"], lifetime: 60, age: 0),
        Case(["Age": "seven"], lifetime: 60, age: 0),
        Case(["Age": "99999999999999999999"], lifetime: 60, age: 2_147_483_648),
        Case(["Date": "Sun, 22 Nov 2026 05:59:50 GMT"], lifetime: 60, age: 10),
        Case(["Date": "Sun, 22 Nov 2026 05:59:50 GMT", "Age": "7"], lifetime: 60, age: 10),
        Case(["Date": "Sun, 22 Nov 2026 05:59:50 GMT", "Age": "12"], lifetime: 60, age: 12),
        // The server's clock is ahead.
        Case(["Date": "Sun, 22 Nov 2026 06:10:00 GMT"], lifetime: 60, age: 0),
    ]

    @Test("The age is the Age field or the time since Date, plus the time in the cache", arguments: ages)
    func age(_ rule: Case) throws {
        let fields = rule.fields.merging(["Cache-Control": "max-age=60"]) { $1 }
        let cached = try cached(fields)
        #expect(cached.freshness(at: Self.received).age == .seconds(rule.age))
        let later = cached.freshness(at: Self.received.addingTimeInterval(5))
        #expect(later.age == .seconds(rule.age + 5) && later.isFresh == (rule.age + 5 < 60))
        #expect(later.lifetime == .seconds(60))
        #expect(later.staleFor == .seconds(max(0, rule.age - 55)))
    }

    @Test("The response delay is added to the Age field, but not to the time since Date")
    func delay() throws {
        let fields = ["Cache-Control": "max-age=60", "Age": "7", "Date": "Sun, 22 Nov 2026 05:59:52 GMT"]
        #expect(try cached(fields, delay: 4).freshness(at: Self.received).age == .seconds(11))
        #expect(try cached(fields, delay: -4).freshness(at: Self.received).age == .seconds(8))
    }

    @Test("A response is stale when its age reaches its lifetime")
    func end() throws {
        let cached = try cached(["Cache-Control": "max-age=60"])
        #expect(cached.freshness(at: Self.received.addingTimeInterval(59.9)).isFresh)
        #expect(!cached.freshness(at: Self.received.addingTimeInterval(60)).isFresh)
    }

    @Test("If the clock was set back or has an extreme value, nothing is fresh and nothing traps")
    func clock() throws {
        let cached = try cached(["Cache-Control": "max-age=60"])
        for time in [-1, -1e300, 1e300, .infinity, -.infinity, .nan] as [Double] {
            #expect(!cached.freshness(at: Self.received.addingTimeInterval(time)).isFresh, "\(time)")
        }
    }
}

@Suite("A request's directives (RFC 9111 §5.2.1)")
struct RequestDirectivesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let field: String
        let age: Double
        let remaining: Double
        let isAllowed: Bool

        init(_ field: String, age: Double = 10, remaining: Double, _ isAllowed: Bool) {
            (self.field, self.age, self.remaining, self.isAllowed) = (field, age, remaining, isAllowed)
        }

        var testDescription: String { "\(field) \(age) \(remaining)" }
    }

    private static let cases = [
        Case("", remaining: 1, true), Case("", remaining: 0, false), Case("", remaining: -1, false),
        Case("no-cache", remaining: 50, false), Case("max-age=0", age: 0, remaining: 50, true),
        Case("max-age=0", age: 1, remaining: 50, false), Case("max-age=10", remaining: 50, true),
        Case("max-age=9", remaining: 50, false), Case("max-age=x", remaining: 50, false),
        Case("min-fresh=50", remaining: 50, true), Case("min-fresh=51", remaining: 50, false),
        Case("min-fresh=0", remaining: 0, false), Case("max-stale", remaining: -1e9, true),
        Case("max-stale=5", remaining: -5, true), Case("max-stale=5", remaining: -6, false),
        Case("max-stale=x", remaining: -1, false), Case("max-stale, max-age=5", remaining: -1, false),
        Case("max-stale=9, max-age=20", age: 15, remaining: -5, true),
        Case("only-if-cached", remaining: 1, true),
        Case("only-if-cached", remaining: -1, false), Case("only-if-cached, max-stale", remaining: -1, true),
        Case("no-store", remaining: 1, true), Case("x=\"no-cache\"", remaining: 1, true),
    ]

    @Test("A request's directives decide which ages and remaining lifetimes are allowed", arguments: cases)
    func allowed(_ rule: Case) throws {
        let request = try sampleRequest(headers(rule.field))
        #expect(RequestDirectives(request).allow(age: rule.age, remaining: rule.remaining) == rule.isAllowed)
    }

    private func headers(_ field: String) -> [String: String] { ["Cache-Control": field] }

    private func sampleRequest(_ headers: [String: String]) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://service.test/a")))
        for (name, value) in headers where !value.isEmpty {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    @Test("Pragma: no-cache counts if there is no Cache-Control field (§5.4)")
    func pragma() throws {
        #expect(try RequestDirectives(sampleRequest(["Pragma": "No-Cache"])).requiresValidation)
        #expect(
            try !RequestDirectives(sampleRequest(["Pragma": "no-cache", "Cache-Control": "max-age=5"]))
                .requiresValidation)
        #expect(try !RequestDirectives(sampleRequest(["Pragma": "x"])).requiresValidation)
        #expect(try RequestDirectives(sampleRequest(["Cache-Control": "Only-If-Cached"])).onlyIfCached)
    }
}
