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
    /// What the closure was given, each time.
    private let asked = Recorder<Token?>()

    /// One whose closure makes `token 1`, `token 2` …, once the gate is open.
    private func authenticator(
        identity: String? = nil, _ token: String? = nil, lifetime: Duration? = nil, gate: Door? = nil
    ) -> TokenAuthenticator {
        TokenAuthenticator(identity: identity, token: token.map { Token($0) }) { [asked] refused in
            asked.append(refused)
            let number = asked.values.count
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

    @Test("A token that is given for a time counts it by the service's clock, from its first use on")
    func given() async throws {
        let server = server("given", "token 1")
        let authenticator = TokenAuthenticator(token: Token("given", expiresIn: .seconds(60))) {
            [asked] refused in
            asked.append(refused)
            return Token("token 1")
        }
        let service = service(server, authenticator)
        for seconds in [0, 45, 10] {
            clock.advance(by: .seconds(seconds))
            _ = try await service.GET("/").data
        }
        #expect(asked.values.map { $0?.value } == ["given"])
        #expect(asked.values.first??.expires == ManualClock().now.addingTimeInterval(60))
    }

    /// Takes these tokens only.
    private func server(_ tokens: String...) -> ScriptedDataSource {
        ScriptedDataSource { request, _ in
            let token = request.value(forHTTPHeaderField: "Authorization")
            return tokens.contains { token == "Bearer \($0)" }
                ? .status(200) : .status(401, body: #"{"no":1}"#)
        }
    }

    @Test("A token that is there is sent at once")
    func known() async throws {
        let source = server("a")
        let task = service(source, authenticator("a")).GET("/")
        #expect(source.credentials == ["Bearer a"])
        #expect(try await task.json == [:])
        #expect(asked.values.isEmpty)
    }

    @Test("The first request has one made, and those that come meanwhile wait for it")
    func first() async throws {
        let (source, gate) = (server("token 1"), Door())
        let service = service(source, authenticator(gate: gate))
        let tasks = (0..<20).map { _ in service.GET("/") }
        await gate.arrivals()
        #expect(source.requests.values.isEmpty)
        #expect(tasks.allSatisfy { $0.state == .running })
        gate.open()
        for task in tasks { #expect(try await task.json == [:]) }
        #expect(asked.values == [nil])
        #expect(source.credentials == Array(repeating: "Bearer token 1", count: 20))
    }

    @Test("One that is refused is made anew, from the refused one, and the request sent once more")
    func refused() async throws {
        let source = server("token 1")
        let task = service(source, authenticator("old")).POST("/", parameters: ["a": 1])
        #expect(try await task.json == [:])
        #expect(asked.values == [Token("old")])
        #expect(source.credentials == ["Bearer old", "Bearer token 1"])
        #expect(source.requests.values.map(\.httpBody) == [Data("a=1".utf8), Data("a=1".utf8)])
    }

    @Test("A new token that is refused, too, is the error")
    func refusedAgain() async {
        let source = server("other")
        let error = await service(source, authenticator("old")).GET("/").finalError
        #expect(error?.statusCode == 401)
        #expect(error?.json["no"].int == 1)
        #expect(error?.attempts == 2)
        #expect(source.credentials == ["Bearer old", "Bearer token 1"])
        #expect(asked.values.count == 1)
    }

    @Test("10 000 tasks that hit one expired token have it made once, and are sent twice at most")
    func storm() async throws {
        let (source, gate) = (server("token 1"), Door())
        let authenticator = authenticator("old", gate: gate)
        let services = [service(source, authenticator), service(source, authenticator)]
        let count = Sanitizer.rounds(10_000, sanitized: 1000)
        let tasks = (0..<count).map { services[$0 % 2].GET("/") }
        await gate.arrivals()
        gate.open()
        for task in tasks { _ = try await task.data }
        #expect(asked.values == [Token("old")])
        #expect(source.requests.values.count <= 2 * count)
        #expect(source.credentials.filter { $0 == "Bearer token 1" }.count == count)
    }

    @Test("A refusal of a token that was replaced meanwhile costs nothing")
    func lateRefusal() async throws {
        let source = ManualDataSource()
        let service = service(source, authenticator("old"))
        let tasks = [service.GET("/1"), service.GET("/2")]
        let exchanges = await source.exchanges.first(2)
        exchanges[0].answer("", status: 401)
        let renewed = await source.exchanges.first(3)[2]
        exchanges[1].answer("", status: 401)
        let other = await source.exchanges.first(4)[3]
        for exchange in [renewed, other] {
            #expect(exchange.request.value(forHTTPHeaderField: "Authorization") == "Bearer token 1")
            exchange.answer()
        }
        for task in tasks { _ = try await task.data }
        #expect(asked.values.count == 1)
    }

    @Test("One that is about to expire is made anew before it is sent")
    func expiry() async throws {
        let source = server("token 1", "token 2")
        let service = service(source, authenticator(lifetime: .seconds(60)))
        _ = try await service.GET("/").data
        clock.advance(by: .seconds(49))
        _ = try await service.GET("/").data
        clock.advance(by: .seconds(1))
        _ = try await service.GET("/").data
        #expect(source.credentials == ["Bearer token 1", "Bearer token 1", "Bearer token 2"])
        #expect(asked.values.map { $0?.value } == [nil, "token 1"])
        #expect(asked.values[1]?.expires == clock.now.addingTimeInterval(10))
    }

    @Test("Cancelling one that waits doesn't disturb the others, and ends it at once")
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
        #expect(asked.values.count == 1)
    }

    @Test("The time of a task that waits is its own")
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

    @Test("What the closure throws is the error of all that wait, and the next request has it run again")
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

    @Test("A token that can't be sent is an error that doesn't show it", arguments: ["", "secret\r\nX: y"])
    func badToken(token: String) async {
        let source = server()
        let error = await service(source, TokenAuthenticator { _ in Token(token) }).GET("/").finalError
        #expect(error?.reason == .invalidRequest)
        #expect(error.map { "\($0)".contains("secret") } == false)
        #expect(source.requests.values.isEmpty)
    }

    @Test(
        "A token from outside that can't be sent is an error that doesn't show it",
        arguments: ["secret\r\nX: y", "secret\0"], [false, true])
    func badTokenFromOutside(token: String, isSet: Bool) async {
        let source = server()
        let authenticator = authenticator(isSet ? nil : token)
        if isSet { authenticator.token = Token(token) }
        let error = await service(source, authenticator).GET("/").finalError
        #expect(error?.reason == .invalidRequest)
        #expect(error.map { "\($0)".contains("secret") } == false)
        #expect(source.requests.values.isEmpty && asked.values.isEmpty)
    }

    @Test("An empty token from outside is none", arguments: [false, true])
    func emptyToken(isSet: Bool) async throws {
        let source = server("token 1")
        let authenticator = authenticator(isSet ? "old" : "")
        if isSet { authenticator.token = Token("") }
        #expect(authenticator.token == nil)
        #expect(try await service(source, authenticator).GET("/").json == [:])
        #expect(asked.values == [nil])
    }

    @Test("A task whose second token was replaced meanwhile, or is about to be, is sent again")
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
        // Both have the new token, which is revoked: the first to hear of it is a third task.
        let third = service.GET("/3")
        let thirds = await source.exchanges.first(5)[4]
        thirds.answer("", status: 401)
        await gate.arrivals()
        seconds.first?.answer("", status: 401)
        gate.open()
        let renewed = await source.exchanges.first(7)[5...]
        seconds.last?.answer("", status: 401)
        let last = await source.exchanges.first(8)[7]
        for exchange in renewed + [last] {
            #expect(exchange.request.value(forHTTPHeaderField: "Authorization") == "Bearer token 2")
            exchange.answer()
        }
        for task in tasks + [third] { #expect(try await task.json == [:]) }
        #expect(made.withLock { $0 } == 2)
    }

    @Test("A server that refuses each of ever new tokens is asked eleven times at most")
    func neverGood() async throws {
        let authenticators = Lock<TokenAuthenticator?>(nil)
        let source = ScriptedDataSource { _, index in
            // Replaced while the request is under way.
            authenticators.withLock { $0 }?.token = Token("\(index)")
            return .status(401)
        }
        let authenticator = authenticator("old")
        authenticators.withLock { $0 = authenticator }
        #expect(await service(source, authenticator).GET("/").finalError?.statusCode == 401)
        #expect(source.requests.values.count == 11)
    }

    @Test("The closure may use the same service, whose requests then go out without a token")
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

    @Test("A token from outside goes to all who wait, and what the closure makes meanwhile is for nobody")
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

    @Test("After a sign-out a token is made from nothing, and an older making is forgotten")
    func signOut() async throws {
        let (source, gate) = (server("token 2"), Door())
        let authenticator = authenticator("old", gate: gate)
        let task = service(source, authenticator).GET("/")
        await gate.arrivals()
        authenticator.token = nil
        gate.open()
        #expect(try await task.json == [:])
        #expect(asked.values == [Token("old"), nil])
        #expect(authenticator.token?.value == "token 2")
    }

    @Test("Retries and refusals are counted apart")
    func retries() async throws {
        let source = ScriptedDataSource(.status(503), .status(401), .status(503), .status(200))
        var retry = RetryPolicy()
        retry.backoff = .init(first: .zero)
        #expect(try await service(source, authenticator("old"), retry: retry).GET("/").json == [:])
        #expect(source.credentials == ["Bearer old", "Bearer old", "Bearer token 1", "Bearer token 1"])
    }

    @Test("A body that goes out once leaves the refusal as it is, and the token refused for the next one")
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

    @Test("An endpoint whose pattern says so needs no token")
    func pattern() async throws {
        let source = ScriptedDataSource(.status(200))
        var service = service(source, authenticator())
        service.configure("/public/**") { $0.authenticator = nil }
        _ = try await service.GET("/public/x").data
        #expect(source.credentials == [nil] && asked.values.isEmpty)
    }
}
