import Foundation
import Swallow
import SwallowResources
import SwallowTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

actor SessionKeys: Authenticator {
    private let accounts: WebService
    private var key: String?

    init(accounts: WebService) { self.accounts = accounts }

    func authorize(_ request: inout URLRequest) async throws {
        if key == nil { key = try await accounts.POST("/session").json["key"].string }
        request.setValue(key, forHTTPHeaderField: "X-Session")
    }

    func refresh(after response: HTTPURLResponse, to request: URLRequest) {
        key = nil
    }
}

@MainActor
final class Account {
    private(set) var service: WebService
    private var refreshToken: String

    init(_ service: WebService, user: String, refreshToken: String) {
        self.service = service
        self.refreshToken = refreshToken
        let authenticator = TokenAuthenticator(identity: user) { [weak self, service] _ in
            guard let old = await self?.refreshToken else { throw CancellationError() }
            let answer = service.POST("/token", parameters: ["refresh_token": old])
            let grant = try await answer.json
            await self?.keep(grant["refresh_token"].string)
            let lifetime = grant["expires_in"].int ?? 60
            return .init(try grant["access_token"].decode(), expiresIn: .seconds(lifetime))
        }
        self.service.configure { $0.authenticator = authenticator }
    }

    private func keep(_ new: String?) {
        if let new { refreshToken = new }
    }
}

private struct BodyWatch: Authenticator {
    func authorize(_ request: inout URLRequest) {
        let place = request.httpBody != nil ? "memory" : request.streamedBody != nil ? "streamed" : "none"
        request.setValue(place, forHTTPHeaderField: "X-Body")
    }

    func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool { false }
    func refresh(after response: HTTPURLResponse, to request: URLRequest) {}
}

@Suite("The guide's retries and authentication")
struct RetrySamples {
    private struct User {
        let id = "ann"
        let refreshToken = "r"
    }

    private let stub = StubDataSource()
    private let user = User()

    private func service(_ clock: ManualClock = ManualClock()) -> WebService {
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        service.clock = clock
        return service
    }

    @Test("send again what may succeed")
    func retries() async throws {
        let clock = ManualClock()
        var service = service(clock)
        stub.stub(.GET, "/report", .sequence([.status(503), .json([1])]))
        service.configure { $0.retry = .standard }
        service.configure("/payments**") { $0.retry = .never }
        let report = service.GET("/report", options: [.retry(.standard)])
        await clock.run(until: report)
        #expect(try await report.json == [1])
        print(report.curlCommand)
        let command = report.request.curlCommand(revealingSecrets: true)
        #expect(command.hasSuffix("https://api.example.com/report"))
    }

    @Test("send POST again with a key")
    func keys() async throws {
        var service = service()
        stub.stub(.POST, "/payments/1", .json([1]))
        service.configure { $0.retry = .whenOnline(within: .seconds(60)) }
        service.configure("/payments**") { $0.retry = .standard.withIdempotencyKey() }
        #expect(try await service.POST("/payments/1").json == [1])
        #expect(stub.requests.first?.value(forHTTPHeaderField: "Idempotency-Key") != nil)
    }

    @Test("wait longer than a minute if the server requests it")
    func longDelays() async throws {
        let clock = ManualClock()
        var service = service(clock)
        stub.stub(
            .GET, "/reports/1", .sequence([.status(503, headers: ["Retry-After": "120"]), .json([1])]))
        var unhurried = RetryPolicy.standard
        unhurried.retryAfterLimit = .seconds(300)
        service.configure("/reports**") { [unhurried] in $0.retry = unhurried }
        let task = service.GET("/reports/1")
        clock.advance(by: .seconds(120))
        #expect(try await task.json == [1])
    }

    @Test("have parts that can be changed")
    func parts() async throws {
        var patient = RetryPolicy()
        patient.maximumRetries = 5
        patient.methods.insert("PURGE")
        patient.statusCodes = [408, 425, 429, 500...599]
        patient.backoff = .init(first: .seconds(1), factor: 3, maximum: .seconds(60))
        patient.jitter = 0.5...1
        patient.budget = .init(limit: 20, refill: 0.05)

        patient.decide = { attempt in
            attempt.response?.statusCode == 202 ? .seconds(2) : attempt.proposedDelay
        }

        var service = service()
        service.configure { [patient] in $0.retry = patient }
        let clock = ManualClock()
        stub.stub(.GET, "/", .sequence([.status(202), .json([1])]))
        service.clock = clock
        let task = service.GET("/")
        await clock.run(until: task)
        #expect(try await task.json == [1])
    }

    @Test("make tokens")
    func tokens() async throws {
        stub.stub(.POST, "/token", .json(["token": "t", "ttl": 3600]))
        stub.stub(.json([1]), when: { $0.value(forHTTPHeaderField: "Authorization") == "Bearer t" })
        let service = service()
        let stored: TokenAuthenticator.Token? = nil
        let authenticator = TokenAuthenticator(identity: user.id, token: stored) { [service] _ in
            let answer = service.POST("/token", parameters: ["refresh": user.refreshToken])
            let grant = try await answer.json
            let lifetime = grant["ttl"].int ?? 60
            return .init(try grant["token"].decode(), expiresIn: .seconds(lifetime))
        }
        let signedIn = service.configured { $0.authenticator = authenticator }
        #expect(try await signedIn.GET("/me").json == [1])
        let password = ""
        authenticator.token = .init(password.isEmpty ? "guest" : "ann", expires: nil)
        let kept = authenticator.token?.value
        authenticator.token = nil
        #expect(kept == "guest" && authenticator.token == nil)
    }

    @Test("make tokens that live for seconds")
    func shortTokens() async throws {
        stub.stub(.POST, "/token", .json(["token": "t", "ttl": 5]))
        stub.stub(.json([1]), when: { $0.value(forHTTPHeaderField: "Authorization") == "Bearer t" })
        let clock = ManualClock()
        let service = service(clock)
        let authenticator = TokenAuthenticator(identity: user.id, margin: .seconds(1)) { [service] _ in
            let grant = try await service.POST("/token", parameters: ["refresh": user.refreshToken]).json
            return .init(try grant["token"].decode(), expiresIn: .seconds(grant["ttl"].int ?? 5))
        }
        let signedIn = service.configured { $0.authenticator = authenticator }
        for _ in 0..<2 { _ = try await signedIn.GET("/me").data }
        #expect(stub.count(.POST, "/token") == 1)
        clock.advance(by: .seconds(4))
        _ = try await signedIn.GET("/me").data
        #expect(stub.count(.POST, "/token") == 2)
    }

    @Test("forget who was signed in")
    @MainActor func signOut() async throws {
        stub.stub(.GET, "/me", .json(["name": "Ada"]))
        let authenticator = TokenAuthenticator(identity: "ann", token: .init("t", expires: nil)) { _ in
            throw CancellationError()
        }
        let resources = ResourceStore(service: service().configured { $0.authenticator = authenticator })
        let me = resources.resource("/me", as: JSON.self)
        _ = try await me.load().value
        authenticator.token = nil
        resources.wipe(caches: true)
        #expect(authenticator.token == nil && me.latestContent == nil)
    }

    @Test("make one token for concurrent requests")
    func both() async throws {
        stub.stub(.POST, "/token", .json(["token": "t", "ttl": 3600]))
        stub.stub(.json([1]), when: { $0.value(forHTTPHeaderField: "Authorization") == "Bearer t" })
        let service = service()
        let authenticator = TokenAuthenticator(identity: user.id) { [service] _ in
            let answer = service.POST("/token", parameters: ["refresh": user.refreshToken])
            let grant = try await answer.json
            let lifetime = grant["ttl"].int ?? 60
            return .init(try grant["token"].decode(), expiresIn: .seconds(lifetime))
        }
        let signedIn = service.configured { $0.authenticator = authenticator }
        async let me = signedIn.GET("/me").json
        async let stores = signedIn.GET("/stores").json
        #expect(try await [me, stores] == [[1], [1]] && stub.count(.POST, "/token") == 1)
    }

    @Test("make tokens for an account that owns its service, and goes when nobody holds it")
    @MainActor func accounts() async throws {
        let first: JSON = ["access_token": "t", "expires_in": 3600, "refresh_token": "r2"]
        let second: JSON = ["access_token": "u", "expires_in": 3600, "refresh_token": "r3"]
        stub.stub(.POST, "/token", .sequence([.json(first), .json(second)]))
        stub.stub(.GET, "/me", .sequence([.json([1]), .status(401), .json([2])]))
        var account: Account? = Account(service(), user: "ann", refreshToken: "r1")
        #expect(try await account?.service.GET("/me").json == [1])
        #expect(try await account?.service.GET("/me").json == [2])
        let sent = stub.requests.filter { $0.httpMethod == "POST" }.map { $0.httpBody ?? Data() }
        #expect(sent == [Data("refresh_token=r1".utf8), Data("refresh_token=r2".utf8)])
        #expect(stub.requests.last?.value(forHTTPHeaderField: "Authorization") == "Bearer u")

        weak let gone = account
        account = nil
        #expect(gone == nil)
    }

    @Test("show an authenticator the bodies that are in memory")
    func bodies() async throws {
        stub.stub(.POST, "/films", .status(201))
        let service = service().configured { $0.authenticator = BodyWatch() }
        let file = URL(filePath: #filePath)
        let parts = AsyncStream<Data> { $0.finish() }
        let places: [(Request.Option, String)] = [
            (.json(["a": 1]), "memory"), (.body(Data("a".utf8), contentType: "a/b"), "memory"),
            (.multipart { $0.append("Gate", named: "title") }, "memory"),
            (.multipart { $0.append(file: file, named: "film") }, "streamed"),
            (.multipart { $0.append(Data(count: 257 * 1024), named: "film", fileName: "f") }, "streamed"),
            (.body(file: file), "streamed"), (.body(stream: parts), "streamed"),
        ]
        for (option, place) in places {
            _ = try await service.POST("/films", options: [option]).data
            #expect(stub.requests.last?.value(forHTTPHeaderField: "X-Body") == place)
        }
        _ = try await service.POST("/films", parameters: ["a": 1]).data
        #expect(stub.requests.last?.value(forHTTPHeaderField: "X-Body") == "memory")
    }

    @Test("authenticate in other ways")
    func others() async throws {
        let password = "word"
        var service = service()
        service.configure("/internal/**") { $0.authenticator = .basic("ann", password) }
        service.configure("/camera/**") { $0.authenticator = .digest("admin", password) }
        service.configure("/maps/**") { $0.headers["X-Api-Key"] = "a1b2c3" }
        service.configure("/public/**") { $0.authenticator = nil }
        stub.stub(.POST, "/session", .json(["key": "k"]))
        stub.stub(.json([1]), when: { $0.url?.path != "/session" })
        for path in ["/internal/x", "/maps/x", "/public/x"] as [Request.Path] {
            _ = try await service.GET(path).data
        }
        let fields = stub.requests.map { request in
            request.value(forHTTPHeaderField: "Authorization")
                ?? request.value(forHTTPHeaderField: "X-Api-Key")
        }
        #expect(fields == ["Basic YW5uOndvcmQ=", "a1b2c3", nil])
        let keys = SessionKeys(accounts: service)
        service.configure("/session-only") { $0.authenticator = keys }
        _ = try await service.GET("/session-only").data
        #expect(stub.requests.last?.value(forHTTPHeaderField: "X-Session") == "k")
    }
}
