import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A retry policy")
struct RetryPolicyTests {
    private let now = Date(timeIntervalSince1970: 1_893_456_000)

    private func attempt(
        _ method: String = "GET", status: Int? = nil, retryAfter: String? = nil, error: URLError.Code? = nil,
        retries: Int = 0, offline: Int = 0
    ) throws -> RetryPolicy.Attempt {
        let request = URLRequest.to("http://h") { $0.httpMethod = method }
        let url = try #require(request.url)
        let response = status.flatMap {
            HTTPURLResponse(
                url: url, statusCode: $0, httpVersion: nil,
                headerFields: retryAfter.map { ["Retry-After": $0] } ?? [:])
        }
        return RetryPolicy.Attempt(
            request: request, response: response, error: error.map { URLError($0) }, retries: retries,
            offlineRetries: offline)
    }

    /// The delay after an attempt, with the complete backoff.
    private func delay(
        _ policy: RetryPolicy, _ attempt: RetryPolicy.Attempt, canBeSentAgain: Bool = true
    ) -> Duration? {
        policy.delay(after: attempt, canBeSentAgain: canBeSentAgain, now: now, random: { $0.upperBound }) {
            _ in true
        }
    }

    @Test(
        "A policy that waits for the network retries until its limit, regardless of the retry count"
    )
    func whenOnline() throws {
        var policy = RetryPolicy.whenOnline(within: .seconds(10))
        policy.budget = nil
        var delays: [Duration] = []
        func next() throws -> Duration? {
            let count = delays.count
            return delay(policy, try attempt(error: .notConnectedToInternet, retries: count, offline: count))
        }
        while let delay = try next() { delays.append(delay) }
        #expect(delays == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .milliseconds(2500)])
    }

    @Test("Offline retries and other retries are counted separately")
    func countedApart() throws {
        let policy = RetryPolicy.whenOnline(within: .seconds(10))
        #expect(delay(policy, try attempt(status: 503, retries: 7, offline: 7)) == .milliseconds(500))
        #expect(delay(policy, try attempt(status: 503, retries: 9, offline: 7)) == nil)
        #expect(delay(policy, try attempt(error: .cannotFindHost, retries: 2)) == .milliseconds(500))
    }

    @Test(
        "A decide closure can't exceed the offline limit, and retries without a network don't use the budget")
    func offlineLimits() throws {
        var policy = RetryPolicy.whenOnline(within: .seconds(1))
        policy.decide = { _ in .seconds(1) }
        #expect(delay(policy, try attempt(error: .cannotFindHost, retries: 1, offline: 1)) == .seconds(1))
        #expect(delay(policy, try attempt(error: .cannotFindHost, retries: 8, offline: 2)) == nil)
        policy = .whenOnline(within: .seconds(1000))
        policy.budget = RetryPolicy.Budget(limit: 1, refill: 0)
        #expect(delay(policy, try attempt(error: .cannotConnectToHost)) != nil)
        #expect(delay(policy, try attempt(error: .cannotConnectToHost, retries: 1, offline: 1)) == nil)
        #expect(delay(policy, try attempt(error: .notConnectedToInternet, retries: 1, offline: 1)) != nil)
    }

    @Test("A request waits for the network only if no server was reached and it can be sent again")
    func notWhenOnline() throws {
        let policy = RetryPolicy.whenOnline(within: .seconds(100))
        for code in RetryPolicy.offlineErrors {
            #expect(delay(policy, try attempt(error: code, retries: 5)) != nil)
            #expect(delay(policy, try attempt("POST", error: code)) == nil)
            #expect(delay(policy, try attempt(error: code), canBeSentAgain: false) == nil)
            #expect(delay(RetryPolicy(), try attempt(error: code, retries: 5)) == nil)
        }
        for code in [URLError.Code.timedOut, .cancelled, .badServerResponse, .secureConnectionFailed] {
            #expect(delay(policy, try attempt(error: code, retries: 5)) == nil)
        }
        // In all other cases it is the same as the standard policy.
        #expect(delay(policy, try attempt(status: 503)) == .milliseconds(500))
        #expect(delay(policy, try attempt(status: 503, retries: 2)) == nil)
        #expect(RetryPolicy.whenOnline(within: .seconds(1)).isInUse && policy.offlineLimit == .seconds(100))
    }

    @Test(
        "The standard policy retries on statuses of temporary failures",
        arguments: [408, 429, 502, 503, 504])
    func statuses(status: Int) throws {
        #expect(delay(RetryPolicy(), try attempt(status: status)) == .milliseconds(500))
    }

    @Test(
        "The standard policy doesn't retry on other statuses",
        arguments: [200, 204, 301, 400, 401, 403, 404, 409, 425, 500, 501, 505])
    func otherStatuses(status: Int) throws {
        #expect(delay(RetryPolicy(), try attempt(status: status)) == nil)
    }

    @Test(
        "The standard policy retries after temporary transport errors",
        arguments: [
            (URLError.Code.networkConnectionLost, true), (.cannotConnectToHost, true), (.timedOut, true),
            (.notConnectedToInternet, true), (.cannotFindHost, true), (.dnsLookupFailed, true),
            (.cancelled, false), (.secureConnectionFailed, false), (.badURL, false),
            (.httpTooManyRedirects, false),
            (.dataLengthExceedsMaximum, false),
        ])
    func errors(code: URLError.Code, isRetried: Bool) throws {
        #expect((delay(RetryPolicy(), try attempt(error: code)) != nil) == isRetried)
    }

    @Test(
        "The standard policy retries idempotent methods only (RFC 9110 §9.2.2)",
        arguments: [
            ("GET", true), ("HEAD", true), ("PUT", true), ("DELETE", true), ("OPTIONS", true),
            ("TRACE", true),
            ("POST", false), ("PATCH", false), ("PURGE", false),
        ])
    func methods(method: String, isRetried: Bool) throws {
        #expect((delay(RetryPolicy(), try attempt(method, status: 503)) != nil) == isRetried)
        var policy = RetryPolicy()
        policy.methods.insert("POST")
        #expect((delay(policy, try attempt(method, status: 503)) != nil) == (isRetried || method == "POST"))
    }

    @Test("The standard policy retries twice, and maximumRetries changes the count", arguments: [0, 1, 2, 5])
    func count(count: Int) throws {
        var policy = RetryPolicy()
        #expect(policy.maximumRetries == 2)
        policy.maximumRetries = count
        for retries in 0...6 {
            #expect((delay(policy, try attempt(status: 503, retries: retries)) != nil) == (retries < count))
        }
    }

    @Test("Delays grow up to the maximum")
    func backoff() throws {
        var policy = RetryPolicy()
        policy.maximumRetries = 100
        let delays = try [0, 1, 2, 5, 6, 99].map { delay(policy, try attempt(status: 503, retries: $0)) }
        #expect(delays == [0.5, 1, 2, 16, 20, 20].map { Duration.seconds($0) })
        policy.backoff = .init(first: .seconds(1), factor: .infinity, maximum: .seconds(3))
        #expect(delay(policy, try attempt(status: 503, retries: 1)) == .seconds(3))
        policy.backoff = .init(first: .seconds(-1), factor: .nan, maximum: .seconds(-3))
        #expect(delay(policy, try attempt(status: 503, retries: 1)) == .zero)
    }

    @Test("Jitter shortens delays randomly within its range")
    func jitter() throws {
        var policy = RetryPolicy()
        policy.budget = nil
        let attempt = try attempt(status: 503)
        func delays() -> [Duration] {
            (0..<200).compactMap { _ in
                policy.delay(after: attempt, canBeSentAgain: true, now: now) { _ in true }
            }
        }
        let full = delays()
        #expect(full.count == 200 && full.allSatisfy { (.zero ... .milliseconds(500)).contains($0) })
        #expect(Set(full).count > 100)
        policy.jitter = 1...1
        #expect(Set(delays()) == [.milliseconds(500)])
        policy.jitter = -.infinity ... .infinity
        #expect(delays().allSatisfy { (.zero ... .milliseconds(500)).contains($0) })
    }

    @Test(
        "Retry-After is followed in seconds and as a date, up to 60 seconds",
        arguments: [
            ("3", 3.0), ("60", 60), ("61", nil), ("0", 0.5), ("99999999999999999999", nil),
            ("Tue, 01 Jan 2030 00:00:07 GMT", 7), ("Mon, 31 Dec 2029 23:59:00 GMT", 0.5),
            ("Tue, 01 Jan 2030 01:00:00 GMT", nil), ("soon", 0.5), ("", 0.5), ("-5", 0.5), ("1.5", 0.5),
        ] as [(String, Double?)])
    func retryAfter(field: String, seconds: Double?) throws {
        let delay = delay(RetryPolicy(), try attempt(status: 503, retryAfter: field))
        #expect(delay == seconds.map { .seconds($0) })
    }

    @Test("The limit for Retry-After can be changed")
    func retryAfterLimit() throws {
        var policy = RetryPolicy()
        policy.retryAfterLimit = .seconds(3600)
        #expect(delay(policy, try attempt(status: 429, retryAfter: "600")) == .seconds(600))
    }

    @Test("A body that can't be sent again isn't retried, and takes nothing from the budget")
    func body() throws {
        var policy = RetryPolicy()
        policy.budget = .init(limit: 1)
        #expect(delay(policy, try attempt(status: 503), canBeSentAgain: false) == nil)
        let late = policy.delay(after: try attempt(status: 503), canBeSentAgain: true, now: now) { _ in false
        }
        #expect(late == nil)
        #expect(delay(policy, try attempt(status: 503)) != nil)
        #expect(delay(policy, try attempt(status: 503)) == nil)
    }

    @Test("A decide closure overrides all but the retry count and the budget")
    func closure() throws {
        var policy = RetryPolicy()
        policy.budget = .init(limit: 2)
        let seen = Recorder<Duration?>()
        policy.decide = { attempt in
            seen.append(attempt.proposedDelay)
            return attempt.response?.statusCode == 503 ? nil : .seconds(-9)
        }
        #expect(delay(policy, try attempt(status: 503)) == nil)
        #expect(delay(policy, try attempt("POST", status: 202)) == .zero)
        #expect(delay(policy, try attempt(status: 202, retries: 2)) == nil)
        #expect(delay(policy, try attempt(error: .badURL)) == .zero)
        #expect(delay(policy, try attempt(status: 202)) == nil)
        #expect(seen.values == [.milliseconds(500), nil, nil, nil, nil])
    }

    @Test("Copies of a policy share the budget, and successes refill it")
    func budget() throws {
        let policy = RetryPolicy()
        var copy = policy
        copy.maximumRetries = 5
        var count = 0
        while delay(count % 2 == 0 ? policy : copy, try attempt(status: 503)) != nil { count += 1 }
        #expect(count == 100)
        for _ in 0..<10 { #expect(delay(policy, try attempt(status: 200)) == nil) }
        #expect(delay(copy, try attempt(status: 503)) != nil)
        #expect(delay(policy, try attempt(status: 503)) == nil)
        #expect(delay(RetryPolicy(), try attempt(status: 503)) != nil)
    }

    @Test("Each server has its own budget, so a server that is down doesn't use up the budget of another")
    func servers() throws {
        let policy = RetryPolicy.standard
        func count(_ url: String) throws -> Int {
            let failed = RetryPolicy.Attempt(
                request: .to(url), response: try attempt(status: 503).response, error: nil,
                retries: 0)
            var count = 0
            while delay(policy, failed) != nil { count += 1 }
            return count
        }
        let host = "h\(UUID().uuidString.lowercased())"
        #expect(try count("http://\(host)/a") == 100)
        #expect(try count("http://\(host):80/b?c") == 0)
        #expect(try count("http://\(host):81/a") == 100)
        #expect(try count("https://\(host)/a") == 100)
        let budget = RetryPolicy.Budget(limit: 1)
        for index in 0..<5000 {
            let url = URL(string: "http://h\(index)/")
            #expect(budget.take(for: url))
            #expect(!budget.take(for: url))
        }
    }

    @Test("The policy .never doesn't retry until it is changed")
    func never() throws {
        var policy = RetryPolicy.never
        #expect(!policy.isInUse && policy.maximumRetries == 0)
        #expect(delay(policy, try attempt(status: 503)) == nil)
        policy.maximumRetries = 1
        #expect(policy.isInUse)
        #expect(delay(policy, try attempt(status: 503)) == .milliseconds(500))
        #expect(RetryPolicy.never.maximumRetries == 0)
    }
}
