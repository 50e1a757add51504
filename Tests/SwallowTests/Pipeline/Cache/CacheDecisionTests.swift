import Foundation
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The decisions of caches, as tables")
struct CacheDecisionTests {
    struct Stored: Sendable {
        var fields = ""
        var age: TimeInterval = 0
        var status = 200
        var isRedirected = false
        var hasUnknownAge = false
        var isFailure = false

        static let fresh = Stored(fields: "max-age=60", age: 10)
        static let stale = Stored(fields: "max-age=60", age: 100)

        var state: StoredState {
            StoredState(
                status: status,
                directives: ResponseDirectives(
                    status: status, fields: ["Cache-Control": fields], receivedAt: Date()),
                age: hasUnknownAge ? nil : age, timeStored: age, isRedirected: isRedirected,
                isFailure: isFailure)
        }
    }

    /// A row: a policy, the request's directives, a stored response, and the decision.
    struct Row: Sendable, CustomTestStringConvertible {
        let policy: CachePolicy
        let stored: Stored?
        let directives: String
        let decision: String
        var ignoresServerRules = false

        init(
            _ policy: CachePolicy, _ stored: Stored?, _ directives: String = "", ignoring: Bool = false,
            is decision: String
        ) {
            (self.policy, self.stored, self.directives, self.decision) = (
                policy, stored, directives, decision
            )
            ignoresServerRules = ignoring
        }

        var testDescription: String {
            "\(policy) \(stored.map { "\($0.fields) \($0.age)" } ?? "nothing") \(directives) \(decision)"
        }

        func rules() throws -> CacheRules {
            CacheRules(
                policy: policy,
                directives: RequestDirectives(
                    try sampleRequest("http://service.test/a", ["Cache-Control": directives])),
                ignoresServerRules: ignoresServerRules)
        }
    }

    // MARK: - Before sending

    private static let minute = CachePolicy.preferCache(maxAge: .seconds(60))

    static let beforeSendingRows: [Row] = [
        // Nothing is stored.
        Row(.standard, nil, is: "send"), Row(minute, nil, is: "send"), Row(.validate, nil, is: "send"),
        Row(.networkFirst, nil, is: "send"), Row(.reload, nil, is: "send"), Row(.onlyCache, nil, is: "fail"),
        Row(.standard, nil, "only-if-cached", is: "fail"), Row(minute, nil, "only-if-cached", is: "fail"),
        // A fresh response is stored.
        Row(.standard, .fresh, is: "use"), Row(minute, .fresh, is: "use"),
        Row(.validate, .fresh, is: "validate"),
        Row(.networkFirst, .fresh, is: "send"), Row(.reload, .fresh, is: "send"),
        Row(.onlyCache, .fresh, is: "use"),
        // A stale response is stored.
        Row(.standard, .stale, is: "validate"), Row(minute, .stale, is: "validate"),
        Row(.validate, .stale, is: "validate"), Row(.networkFirst, .stale, is: "send"),
        Row(.reload, .stale, is: "send"), Row(.onlyCache, .stale, is: "use"),
        Row(.standard, .stale, "only-if-cached", is: "fail"),
        Row(.standard, .stale, "only-if-cached, max-stale", is: "use"),
        // `preferCache` extends the time for which a response is fresh, and never shortens it.
        Row(minute, Stored(age: 59), is: "use"), Row(minute, Stored(age: 60), is: "validate"),
        Row(minute, Stored(age: -9, hasUnknownAge: true), is: "validate"),
        Row(.preferCache(maxAge: .zero), .fresh, is: "use"),
        Row(minute, Stored(age: 30), "max-age=20", is: "validate"),
        Row(minute, Stored(age: 30, isRedirected: true), is: "validate"),
        // The server's rules.
        Row(.standard, Stored(fields: "max-age=60, no-cache"), is: "validate"),
        Row(minute, Stored(fields: "no-cache"), is: "validate"),
        Row(.onlyCache, Stored(fields: "no-cache"), is: "fail"),
        Row(.standard, Stored(fields: "max-age=60, must-revalidate", age: 10), is: "use"),
        Row(minute, Stored(fields: "max-age=0, must-revalidate", age: 10), is: "validate"),
        Row(.onlyCache, Stored(fields: "max-age=60, must-revalidate", age: 61), is: "fail"),
        Row(.onlyCache, Stored(fields: "must-revalidate", hasUnknownAge: true), is: "fail"),
        Row(.onlyCache, Stored(fields: "no-cache, must-revalidate"), ignoring: true, is: "use"),
        Row(minute, Stored(fields: "max-age=0, must-revalidate", age: 10), ignoring: true, is: "use"),
        Row(.standard, Stored(fields: "max-age=0, must-revalidate", age: 1), ignoring: true, is: "validate"),
        // The request's rules.
        Row(.standard, .fresh, "no-cache", is: "validate"),
        Row(.standard, .fresh, "max-age=5", is: "validate"),
        Row(.standard, .fresh, "min-fresh=55", is: "validate"),
        Row(.standard, .stale, "max-stale", is: "use"),
        Row(.onlyCache, .fresh, "no-cache", is: "fail"),
        Row(.standard, .fresh, "no-cache", ignoring: true, is: "validate"),
        // An unknown age, and redirects whose lifetime is unknown.
        Row(.standard, Stored(fields: "max-age=60", hasUnknownAge: true), is: "validate"),
        Row(.standard, Stored(fields: "max-age=60", isRedirected: true), is: "validate"),
        Row(.onlyCache, Stored(age: 1e9, isRedirected: true), is: "use"),
        // RFC 5861 §3.
        Row(.standard, Stored(fields: "max-age=60, stale-while-revalidate=30", age: 89), is: "useAndRefresh"),
        Row(.standard, Stored(fields: "max-age=60, stale-while-revalidate=30", age: 90), is: "validate"),
        Row(minute, Stored(fields: "max-age=60, stale-while-revalidate=30", age: 89), is: "useAndRefresh"),
        Row(.validate, Stored(fields: "max-age=60, stale-while-revalidate=30", age: 89), is: "validate"),
        Row(.standard, Stored(fields: "stale-while-revalidate=30", age: 9), "only-if-cached", is: "use"),
        Row(.standard, Stored(fields: "stale-while-revalidate=30", age: 9), "max-age=20", is: "validate"),
        Row(
            .standard, Stored(fields: "max-age=60, stale-while-revalidate=30, must-revalidate", age: 61),
            is: "validate"),
        // Failures, which only the policies of HTTP serve.
        Row(.standard, Stored(fields: "max-age=60", status: 404, isFailure: true), is: "use"),
        Row(minute, Stored(fields: "max-age=60", status: 503, isFailure: true), is: "use"),
        Row(minute, Stored(fields: "max-age=5", age: 6, status: 503, isFailure: true), is: "skip"),
        Row(.standard, Stored(fields: "max-age=60", status: 400, isFailure: true), is: "skip"),
        Row(.validate, Stored(fields: "max-age=60", status: 404, isFailure: true), is: "skip"),
        Row(.onlyCache, Stored(fields: "max-age=60", status: 404, isFailure: true), is: "skip"),
    ]

    @Test("Before sending", arguments: beforeSendingRows)
    func beforeSending(_ row: Row) throws {
        #expect("\(try row.rules().beforeSending(row.stored?.state))" == row.decision)
    }

    // MARK: - After the response

    static let afterResponseRows: [(Int, Row)] = [
        (200, Row(.standard, nil, is: "store")), (200, Row(.reload, nil, is: "store")),
        (200, Row(.validate, .stale, is: "store")), (206, Row(.standard, nil, is: "serve")),
        (304, Row(.standard, .stale, is: "confirm")), (304, Row(.validate, .fresh, is: "confirm")),
        (304, Row(.standard, nil, is: "serve")), (404, Row(.standard, .stale, is: "remove")),
        (410, Row(.reload, nil, is: "remove")), (403, Row(.standard, .stale, is: "serve")),
        (503, Row(.standard, .stale, is: "serve")),
        (503, Row(.standard, Stored(fields: "stale-if-error=30", age: 29), is: "serveStale")),
        (503, Row(.standard, Stored(fields: "stale-if-error=30", age: 30), is: "serve")),
        (503, Row(minute, Stored(fields: "stale-if-error=30", age: 29), is: "serveStale")),
        (503, Row(.validate, Stored(fields: "stale-if-error=30", age: 29), is: "serve")),
        (501, Row(.standard, Stored(fields: "stale-if-error=30", age: 29), is: "serve")),
        (500, Row(.standard, Stored(age: 29), "stale-if-error=30", is: "serveStale")),
        (500, Row(.standard, Stored(fields: "stale-if-error=30", age: 29, isRedirected: true), is: "serve")),
        (500, Row(.standard, Stored(fields: "stale-if-error=30, must-revalidate", age: 29), is: "serve")),
        (500, Row(.standard, Stored(fields: "stale-if-error=30", age: 29), "no-cache", is: "serve")),
    ]

    @Test("After the response to a GET", arguments: afterResponseRows)
    func afterResponse(status: Int, row: Row) throws {
        let isSuccess = (200..<300).contains(status)
        let received = ReceivedState(status: status, failure: isSuccess ? nil : .unacceptableStatus)
        let decision = try row.rules().afterResponse(received, to: row.stored?.state, isConditional: true)
        #expect("\(decision)" == row.decision)
    }

    @Test("A 304 without a condition of the cache confirms nothing")
    func unconditional() throws {
        let received = ReceivedState(status: 304, failure: .unacceptableStatus)
        let rules = try Row(.standard, .stale, is: "serve").rules()
        #expect(
            "\(rules.afterResponse(received, to: Stored.stale.state, isConditional: false))" == "serve")
    }

    @Test(
        "A failure with explicit freshness is stored, unless a success is stored that isn't gone",
        arguments: [
            (404, nil, "storeFailure"), (404, Stored.stale, "storeFailure"), (503, nil, "storeFailure"),
            (503, .stale, "serve"), (403, nil, "serve"), (429, nil, "serve"),
        ] as [(Int, Stored?, String)])
    func failures(status: Int, stored: Stored?, decision: String) throws {
        let received = ReceivedState(status: status, failure: .unacceptableStatus, isExplicitlyFresh: true)
        let rules = try Row(.standard, stored, is: decision).rules()
        #expect("\(rules.afterResponse(received, to: stored?.state, isConditional: false))" == decision)
    }

    // MARK: - Without a response

    static let offlineRows: [Row] = [
        Row(.standard, .stale, is: "serve"), Row(minute, .stale, is: "serve"),
        Row(.networkFirst, .stale, is: "serve"),
        Row(.validate, .fresh, is: "fail"), Row(.reload, .fresh, is: "fail"),
        Row(.ignore, .fresh, is: "fail"),
        Row(.standard, Stored(hasUnknownAge: true), is: "serve"),
        Row(.standard, Stored(age: 1e9, isRedirected: true), is: "serve"),
        Row(.standard, Stored(fields: "no-cache"), is: "fail"),
        Row(.networkFirst, Stored(fields: "max-age=60, must-revalidate", age: 61), is: "fail"),
        Row(.networkFirst, Stored(fields: "max-age=60, must-revalidate", age: 59), is: "serve"),
        Row(.standard, Stored(fields: "no-cache"), ignoring: true, is: "serve"),
        Row(.networkFirst, .fresh, "no-cache", is: "fail"),
        Row(.networkFirst, .fresh, "max-age=5", is: "fail"),
        Row(.networkFirst, .fresh, "max-age=15", is: "serve"),
        Row(.standard, Stored(fields: "stale-if-error=90", age: 60), "max-age=5", is: "serve"),
        Row(.standard, Stored(fields: "max-age=60", status: 404, isFailure: true), is: "fail"),
    ]

    @Test("If no response arrives", arguments: offlineRows)
    func offline(_ row: Row) throws {
        let state = try #require(row.stored?.state)
        #expect(try row.rules().mayServeStale(state) == (row.decision == "serve"))
    }
}

@Suite("The part that caches take in a request")
struct CacheRoleTests {
    @Test(
        "By its method, its range and its policy",
        arguments: [
            ("GET", CachePolicy.standard, [:], "get"), ("GET", .reload, [:], "get"),
            ("GET", .ignore, [:], "none"), ("GET", .networkFirst, ["Range": "bytes=0-1"], "none"),
            ("GET", .onlyCache, [:], "get"), ("HEAD", .standard, [:], "head"), ("HEAD", .ignore, [:], "none"),
            ("HEAD", .onlyCache, [:], "none"), ("PUT", .standard, [:], "write"),
            ("PUT", .ignore, [:], "write"), ("PUT", .onlyCache, [:], "none"),
            ("OPTIONS", .standard, [:], "none"),
        ] as [(String, CachePolicy, [String: String], String)])
    func role(method: String, policy: CachePolicy, headers: [String: String], role: String) throws {
        var request = try sampleRequest("http://service.test/a", headers)
        request.httpMethod = method
        let name = CacheRole(request, policy).map { "\($0)".prefix { $0 != "(" } } ?? "none"
        #expect(name == role)
    }

    @Test(
        "A write invalidates after a success or a redirect, and a HEAD compares after a 200",
        arguments: [("PUT", 204, "invalidate"), ("PUT", 303, "invalidate"), ("PUT", 500, "serve")]
            + [("HEAD", 200, "compare"), ("HEAD", 204, "serve"), ("HEAD", 404, "serve")])
    func afterResponse(method: String, status: Int, decision: String) throws {
        var request = try sampleRequest("http://service.test/a", [:])
        request.httpMethod = method
        let role = try #require(CacheRole(request, .standard))
        #expect("\(role.afterResponse(ReceivedState(status: status)))" == decision)
    }
}
