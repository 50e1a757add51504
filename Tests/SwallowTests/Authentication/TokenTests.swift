import Foundation
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Bearer tokens")
struct TokenTests {
    private typealias Token = TokenAuthenticator.Token

    private let clock = ManualClock()
    /// The rejected token that each call of the closure received.
    private let rejectedTokens = Recorder<Token?>()

    /// An authenticator whose closure returns `token 1`, `token 2` and so on after the gate is open.
    private func authenticator(
        identity: String? = nil, _ token: String? = nil, lifetime: Duration? = nil, gate: Door? = nil
    ) -> TokenAuthenticator {
        TokenAuthenticator(identity: identity, token: token.map { Token($0) }) { [rejectedTokens] rejected in
            rejectedTokens.append(rejected)
            let number = rejectedTokens.values.count
            if let gate { await gate.pass() }
            return lifetime.map { Token("token \(number)", expiresIn: $0) } ?? Token("token \(number)")
        }
    }

    private func service(
        _ source: any SessionDataTaskDataSource, _ authenticator: TokenAuthenticator,
        retry: RetryPolicy = .never
    ) -> WebService {
        .scripted(source, clock) {
            $0.authenticator = authenticator
            $0.retry = retry
        }
    }

    @Test("A token's lifetime is measured by the service's clock, starting at its first use")
    func given() async throws {
        let server = server("given", "token 1")
        let authenticator = TokenAuthenticator(token: Token("given", expiresIn: .seconds(60))) {
            [rejectedTokens] rejected in
            rejectedTokens.append(rejected)
            return Token("token 1")
        }
        let service = service(server, authenticator)
        for seconds in [0, 45, 10] {
            clock.advance(by: .seconds(seconds))
            _ = try await service.GET("/").data
        }
        #expect(rejectedTokens.values.map { $0?.value } == ["given"])
        #expect(rejectedTokens.values.first??.expires == ManualClock().now.addingTimeInterval(60))
    }

    /// A server that accepts these tokens only.
    private func server(_ tokens: String...) -> ScriptedDataSource {
        ScriptedDataSource { request, _ in
            let token = request.value(forHTTPHeaderField: "Authorization")
            return tokens.contains { token == "Bearer \($0)" }
                ? .status(200) : .status(401, body: #"{"no":1}"#)
        }
    }

    @Test("A token that is already available is sent immediately")
    func known() async throws {
        let source = server("a")
        let task = service(source, authenticator("a")).GET("/")
        #expect(source.credentials == ["Bearer a"])
        #expect(try await task.json == [:])
        #expect(rejectedTokens.values.isEmpty)
    }

    @Test("The first request starts a refresh, and concurrent requests wait for it")
    func first() async throws {
        let (source, gate) = (server("token 1"), Door())
        let service = service(source, authenticator(gate: gate))
        let tasks = (0..<20).map { _ in service.GET("/") }
        await gate.arrivals()
        #expect(source.requests.values.isEmpty)
        #expect(tasks.allSatisfy { $0.state == .running })
        gate.open()
        for task in tasks { #expect(try await task.json == [:]) }
        #expect(rejectedTokens.values == [nil])
        #expect(source.credentials == Array(repeating: "Bearer token 1", count: 20))
    }

    @Test("A rejected token is refreshed, and the request is sent once more")
    func rejected() async throws {
        let source = server("token 1")
        let task = service(source, authenticator("old")).POST("/", parameters: ["a": 1])
        #expect(try await task.json == [:])
        #expect(rejectedTokens.values == [Token("old")])
        #expect(source.credentials == ["Bearer old", "Bearer token 1"])
        #expect(source.requests.values.map(\.httpBody) == [Data("a=1".utf8), Data("a=1".utf8)])
    }

    @Test("If the new token is rejected as well, the request fails")
    func rejectedAgain() async {
        let source = server("other")
        let error = await service(source, authenticator("old")).GET("/").finalError
        #expect(error?.statusCode == 401)
        #expect(error?.json["no"].int == 1)
        #expect(error?.attempts == 2)
        #expect(source.credentials == ["Bearer old", "Bearer token 1"])
        #expect(rejectedTokens.values.count == 1)
    }

    @Test("10,000 tasks with an expired token share one refresh, and are sent at most twice")
    func storm() async throws {
        let (source, gate) = (server("token 1"), Door())
        let authenticator = authenticator("old", gate: gate)
        let services = [service(source, authenticator), service(source, authenticator)]
        let count = Sanitizer.rounds(10_000, sanitized: 1000)
        let tasks = (0..<count).map { services[$0 % 2].GET("/") }
        await gate.arrivals()
        gate.open()
        for task in tasks { _ = try await task.data }
        #expect(rejectedTokens.values == [Token("old")])
        #expect(source.requests.values.count <= 2 * count)
        #expect(source.credentials.filter { $0 == "Bearer token 1" }.count == count)
    }

    @Test("A late rejection of a replaced token causes no refresh")
    func lateRejection() async throws {
        let source = ManualDataSource()
        let service = service(source, authenticator("old"))
        let tasks = [service.GET("/1"), service.GET("/2")]
        let exchanges = await source.exchanges.first(2)
        exchanges[0].answer("", status: 401)
        let refreshed = await source.exchanges.first(3)[2]
        exchanges[1].answer("", status: 401)
        let other = await source.exchanges.first(4)[3]
        for exchange in [refreshed, other] {
            #expect(exchange.request.value(forHTTPHeaderField: "Authorization") == "Bearer token 1")
            exchange.answer()
        }
        for task in tasks { _ = try await task.data }
        #expect(rejectedTokens.values.count == 1)
    }

    @Test("A token that is about to expire is refreshed before it is sent")
    func expiry() async throws {
        let source = server("token 1", "token 2")
        let service = service(source, authenticator(lifetime: .seconds(60)))
        _ = try await service.GET("/").data
        clock.advance(by: .seconds(49))
        _ = try await service.GET("/").data
        clock.advance(by: .seconds(1))
        _ = try await service.GET("/").data
        #expect(source.credentials == ["Bearer token 1", "Bearer token 1", "Bearer token 2"])
        #expect(rejectedTokens.values.map { $0?.value } == [nil, "token 1"])
        #expect(rejectedTokens.values[1]?.expires == clock.now.addingTimeInterval(10))
    }

    @Test("Cancelling a waiting task completes it immediately and doesn't affect the others")
    func cancel() async throws {
        let (source, gate) = (server("token 1"), Door())
        let service = service(source, authenticator(gate: gate))
        let tasks = [service.GET("/1"), service.GET("/2")]
        await gate.arrivals()
        tasks[0].cancel()
        #expect(await tasks[0].finalError?.isCancelled == true)
        gate.open()
        #expect(try await tasks[1].json == [:])
        #expect(source.requests.values.map { $0.url?.path } == ["/2"])
        #expect(rejectedTokens.values.count == 1)
    }

    @Test("A waiting task has its own timeout")
    func timeout() async throws {
        let (source, gate) = (server("token 1"), Door())
        let service = service(source, authenticator(gate: gate))
        let (short, long) = (service.GET("/1", options: [.timeout(.seconds(1))]), service.GET("/2"))
        await gate.arrivals()
        clock.advance(by: .seconds(1))
        #expect(await short.finalError?.reason == .timedOut)
        gate.open()
        #expect(try await long.json == [:])
        #expect(source.requests.values.count == 1)
    }

    @Test("All waiting tasks fail with the closure's error, and the next request refreshes again")
    func failure() async throws {
        let (source, gate, count) = (server("good"), Door(), Lock(0))
        let authenticator = TokenAuthenticator { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            await gate.pass()
            if isFirst { throw AppError(code: 9) }
            return Token("good")
        }
        let service = service(source, authenticator)
        let tasks = (0..<5).map { _ in service.GET("/") }
        await gate.arrivals()
        gate.open()
        for task in tasks {
            let error = await task.finalError
            #expect(error?.reason == .authentication)
            #expect(error?.underlying as? AppError == AppError(code: 9))
            #expect(error?.request?.urlString == "http://service.test/")
        }
        #expect(source.requests.values.isEmpty)
        #expect(try await service.GET("/").json == [:])
        #expect(count.withLock { $0 } == 2)
    }

    @Test(
        "A refreshed token with invalid characters fails with an error that doesn't contain it",
        arguments: ["", "secret\r\nX: y"])
    func badToken(token: String) async {
        let source = server()
        let error = await service(source, TokenAuthenticator { _ in Token(token) }).GET("/").finalError
        #expect(error?.reason == .invalidRequest)
        #expect(error.map { "\($0)".contains("secret") } == false)
        #expect(source.requests.values.isEmpty)
    }

    @Test(
        "A token of the app with invalid characters fails with an error that doesn't contain it",
        arguments: ["secret\r\nX: y", "secret\0"], [false, true])
    func badTokenFromOutside(token: String, isSet: Bool) async {
        let source = server()
        let authenticator = authenticator(isSet ? nil : token)
        if isSet { authenticator.token = Token(token) }
        let error = await service(source, authenticator).GET("/").finalError
        #expect(error?.reason == .invalidRequest)
        #expect(error.map { "\($0)".contains("secret") } == false)
        #expect(source.requests.values.isEmpty && rejectedTokens.values.isEmpty)
    }

    @Test("An empty token counts as no token", arguments: [false, true])
    func emptyToken(isSet: Bool) async throws {
        let source = server("token 1")
        let authenticator = authenticator(isSet ? "old" : "")
        if isSet { authenticator.token = Token("") }
        #expect(authenticator.token == nil)
        #expect(try await service(source, authenticator).GET("/").json == [:])
        #expect(rejectedTokens.values == [nil])
    }

    @Test("A task whose second token is being replaced, or was replaced, is sent again")
    func revoked() async throws {
        let (source, gate) = (ManualDataSource(), Door())
        let made = Lock(0)
        let authenticator = TokenAuthenticator(token: Token("old")) { _ in
            let number = made.withLock { made in
                made += 1
                return made
            }
            if number == 2 { await gate.pass() }
            return Token("token \(number)")
        }
        let service = service(source, authenticator)
        let tasks = [service.GET("/1"), service.GET("/2")]
        for exchange in await source.exchanges.first(2) { exchange.answer("", status: 401) }
        let seconds = await source.exchanges.first(4)[2...]
        // Both tasks have the new token, which is now revoked. A third task is the first whose request is rejected.
        let third = service.GET("/3")
        let thirds = await source.exchanges.first(5)[4]
        thirds.answer("", status: 401)
        await gate.arrivals()
        seconds.first?.answer("", status: 401)
        gate.open()
        let refreshed = await source.exchanges.first(7)[5...]
        seconds.last?.answer("", status: 401)
        let last = await source.exchanges.first(8)[7]
        for exchange in refreshed + [last] {
            #expect(exchange.request.value(forHTTPHeaderField: "Authorization") == "Bearer token 2")
            exchange.answer()
        }
        for task in tasks + [third] { #expect(try await task.json == [:]) }
        #expect(made.withLock { $0 } == 2)
    }

    @Test("A server that rejects every new token receives at most eleven requests")
    func neverGood() async throws {
        let authenticators = Lock<TokenAuthenticator?>(nil)
        let source = ScriptedDataSource { _, index in
            // The token is replaced while the request is running.
            authenticators.withLock { $0 }?.token = Token("\(index)")
            return .status(401)
        }
        let authenticator = authenticator("old")
        authenticators.withLock { $0 = authenticator }
        #expect(await service(source, authenticator).GET("/").finalError?.statusCode == 401)
        #expect(source.requests.values.count == 11)
    }

    @Test("The closure can use the same service, which then sends requests without a token")
    func sameService() async throws {
        let source = ScriptedDataSource { request, _ in
            switch (request.url?.path, request.value(forHTTPHeaderField: "Authorization")) {
            case ("/token", nil), ("/more", nil): .status(200, body: #"{"token":"new"}"#)
            case (_, "Bearer new"): .status(200)
            default: .status(401)
            }
        }
        let later = Lock<WebService?>(nil)
        let authenticator = TokenAuthenticator(token: Token("old")) { _ in
            guard let service = later.withLock({ $0 }) else { throw AppError() }
            async let more = service.GET("/more").json
            _ = try await more
            let future = service.future(as: [String: String].self) { $0.POST("/token") }
            return Token(try await future.value["token"] ?? "")
        }
        let service = service(source, authenticator)
        later.withLock { $0 = service }
        #expect(try await service.GET("/data").json == [:])
        #expect(try await service.GET("/data").json == [:])
        #expect(
            source.requests.values.map { $0.url?.path } == ["/data", "/more", "/token", "/data", "/data"])
    }

    @Test("All waiting tasks receive a token that the app sets, and the running refresh is ignored")
    func signIn() async throws {
        let (source, gate) = (server("mine"), Door())
        let authenticator = authenticator(gate: gate)
        let task = service(source, authenticator).GET("/")
        await gate.arrivals()
        authenticator.token = Token("mine")
        #expect(try await task.json == [:])
        gate.open()
        #expect(authenticator.token == Token("mine"))
    }

    @Test("After a sign-out, a refresh starts without a token, and an earlier refresh is ignored")
    func signOut() async throws {
        let (source, gate) = (server("token 2"), Door())
        let authenticator = authenticator("old", gate: gate)
        let task = service(source, authenticator).GET("/")
        await gate.arrivals()
        authenticator.token = nil
        gate.open()
        #expect(try await task.json == [:])
        #expect(rejectedTokens.values == [Token("old"), nil])
        #expect(authenticator.token?.value == "token 2")
    }

    @Test("Retries and rejections are counted separately")
    func retries() async throws {
        let source = ScriptedDataSource(.status(503), .status(401), .status(503), .status(200))
        var retry = RetryPolicy()
        retry.backoff = .init(first: .zero)
        #expect(try await service(source, authenticator("old"), retry: retry).GET("/").json == [:])
        #expect(source.credentials == ["Bearer old", "Bearer old", "Bearer token 1", "Bearer token 1"])
    }

    @Test("A body that can be sent only once isn't sent again after a rejection, but the token is refreshed")
    func stream() async throws {
        let source = server("token 1")
        var service = service(source, authenticator("old"))
        service.configure("/upload") {
            $0.adaptRequest { $0.httpBodyStream = InputStream(data: Data([1])) }
        }
        #expect(await service.POST("/upload").finalError?.statusCode == 401)
        #expect(try await service.GET("/").json == [:])
        #expect(source.credentials == ["Bearer old", "Bearer token 1"])
    }

    @Test("A URL pattern can remove the authenticator")
    func pattern() async throws {
        let source = ScriptedDataSource(.status(200))
        var service = service(source, authenticator())
        service.configure("/public/**") { $0.authenticator = nil }
        _ = try await service.GET("/public/x").data
        #expect(source.credentials == [nil] && rejectedTokens.values.isEmpty)
    }
}
