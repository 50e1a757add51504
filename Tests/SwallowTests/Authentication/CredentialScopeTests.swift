import Foundation
import LoopbackServer
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Destinations of a credential")
struct CredentialScopeTests {
    private func service(_ source: any SessionDataTaskDataSource) -> WebService {
        .scripted(source) {
            $0.authenticator = TokenAuthenticator(token: .init("secret")) { _ in .init("renewed-secret") }
        }
    }

    @Test("A credential is sent only to the base URL's origin")
    func origins() async throws {
        let source = ScriptedDataSource(.status(200))
        var service = service(source)
        _ = try await service.GET("/home").data
        _ = try await service.GET("http://service.test/absolute").data
        _ = try await service.GET("http://other.test/").data
        _ = try await service.GET("http://service.test:81/").data
        _ = try await service.GET("https://service.test/").data
        service.configure { $0.adaptRequest { $0.url = URL(string: "http://other.test/adapted") } }
        _ = try await service.GET("/").data
        #expect(source.credentials == ["Bearer secret", "Bearer secret", nil, nil, nil, nil])
    }

    @Test(
        "A redirect to another origin has no credential, and a 401 from there is not a rejection",
        arguments: Contestant.transports)
    func redirect(contestant: Contestant) async throws {
        let other = try LoopbackServer { _ in .respond(.json("{}", status: 401)) }
        let elsewhere = other.baseURLString + "/elsewhere"
        let server = try LoopbackServer { request in
            switch request.path {
            case "/away": .respond(.redirect(to: elsewhere, status: 307))
            case "/near": .respond(.redirect(to: "/end", status: 307))
            default: .respond(.json("{}"))
            }
        }
        let made = Recorder<Void>()
        var service = WebService(baseURLString: server.baseURLString, dataSource: contestant.source())
        service.configure {
            $0.authenticator = TokenAuthenticator(token: .init("secret")) { _ in
                made.append(())
                return .init("new")
            }
        }
        #expect(await service.GET("/away").finalError?.statusCode == 401)
        #expect(other.requests.map { $0.header("Authorization") } == [nil])
        #expect(made.values.isEmpty)
        _ = try await service.GET("/near").data
        #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer secret" })
    }

    @Test("A credential doesn't appear in logs, errors or curl commands")
    func secrecy() async throws {
        let source = ScriptedDataSource { request, index in
            index == 0 ? .status(401) : index == 1 ? .status(503) : .status(500, body: #"{"message":"no"}"#)
        }
        let texts = Recorder<String>()
        var service = service(source)
        service.configure {
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
            $0.pipeline[.rawData].cacheUsing(MemoryCache())
        }
        service.logRedaction = LogRedaction(names: [String]())
        service.log = { texts.append("\($0) \(String(reflecting: $0))") }
        let task = service.GET("/")
        let error = try #require(await task.finalError)
        #expect(source.credentials == ["Bearer secret", "Bearer renewed-secret", "Bearer renewed-secret"])
        #expect(texts.values.count > 4)
        let all =
            texts.values + [
                "\(error)", error.userMessage, task.curlCommand,
                task.request.curlCommand(revealingSecrets: true),
            ]
        #expect(!all.contains { $0.contains("secret") })
    }

    @Test("A credential isn't passed to a retry policy's closure")
    func policy() async throws {
        let source = ScriptedDataSource(.status(200))
        let seen = Recorder<URLRequest>()
        var service = service(source)
        service.configure {
            $0.retry = RetryPolicy()
            $0.retry.decide = { attempt in
                seen.append(attempt.request)
                return nil
            }
        }
        _ = try await service.GET("/").data
        #expect(seen.values.map { $0.value(forHTTPHeaderField: "Authorization") } == [nil])
    }
}

@Suite("Caches and credentials")
struct CredentialCachingTests {
    private let cache = MemoryCache()

    private func service(
        _ source: any SessionDataTaskDataSource, _ authenticator: any Authenticator
    ) -> WebService {
        .scripted(source) { [cache] in
            $0.authenticator = authenticator
            $0.pipeline[.rawData].cacheUsing(cache)
            $0.cachePolicy = .preferCache(maxAge: .seconds(86_400))
        }
    }

    private func token(_ identity: String?, _ value: String?) -> TokenAuthenticator {
        TokenAuthenticator(identity: identity, token: value.map { .init($0) }) { _ in throw AppError() }
    }

    @Test("An identity's stored responses are served without a token and with any token")
    func offline() async throws {
        let source = ScriptedDataSource(.status(200, body: "[1]"), .error(.notConnectedToInternet))
        #expect(try await service(source, token("ann", "a")).GET("/").json == [1])
        #expect(try await service(source, token("ann", "b")).GET("/").json == [1])
        #expect(try await service(source, token("ann", nil)).GET("/").json == [1])
        let only = service(source, token("ann", nil)).GET("/", options: [.cachePolicy(.onlyCache)])
        #expect(try await only.json == [1])
        #expect(source.credentials == ["Bearer a"])
    }

    @Test("If a token refresh fails without a network, the caches' fallback is served")
    func fallback() async throws {
        let source = ScriptedDataSource(.status(200, body: "[1]"))
        _ = try await service(source, token("ann", "a")).GET("/").data
        let lost = TokenAuthenticator(identity: "ann") { _ in throw URLError(.notConnectedToInternet) }
        let task = service(source, lost).GET("/", options: [.cachePolicy(.networkFirst)])
        #expect(try await task.json == [1])
        #expect(source.requests.values.count == 1)
    }

    @Test("Each identity has its own stored responses, and so does a request without an authenticator")
    func apart() async throws {
        let source = ScriptedDataSource { _, index in .status(200, body: "[\(index)]") }
        let services = [
            service(source, token("ann", "a")), service(source, token("bob", "a")),
            service(source, token(nil, "a")),
            .scripted(source) { [cache] in
                $0.pipeline[.rawData].cacheUsing(cache)
                $0.cachePolicy = .preferCache(maxAge: .seconds(86_400))
            },
        ]
        for _ in 0..<2 {
            for (index, service) in services.enumerated() {
                #expect(try await service.GET("/").json == [.number(index)])
            }
        }
        #expect(source.requests.values.count == 4)
    }

    @Test("Without an identity, responses are stored by credential, which is obtained before the lookup")
    func credential() async throws {
        let source = ScriptedDataSource { _, index in .status(200, body: "[\(index)]") }
        #expect(try await service(source, token(nil, "a")).GET("/").json == [0])
        #expect(try await service(source, token(nil, "a")).GET("/").json == [0])
        #expect(try await service(source, token(nil, "b")).GET("/").json == [1])
        #expect(await service(source, token(nil, nil)).GET("/").finalError?.reason == .authentication)
        let made = TokenAuthenticator { _ in .init("b") }
        #expect(try await service(source, made).GET("/").json == [1])
        #expect(source.credentials == ["Bearer a", "Bearer b"])
    }

    @Test("A response to a request with a refreshed credential is stored by that credential")
    func refreshed() async throws {
        let source = ScriptedDataSource { request, _ in
            request.value(forHTTPHeaderField: "Authorization") == "Bearer new"
                ? .status(200, body: "[1]") : .status(401)
        }
        let refreshing = TokenAuthenticator(token: .init("old")) { _ in .init("new") }
        #expect(try await service(source, refreshing).GET("/").json == [1])
        #expect(try await service(source, token(nil, "new")).GET("/").json == [1])
        #expect(source.credentials == ["Bearer old", "Bearer new"])
        #expect(await service(source, token(nil, "old")).GET("/").finalError != nil)
    }

    @Test("A disk cache stores no response to an authorized request unless storesAuthorized is set")
    func disk() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        for keeps in [false, true] {
            let cache = DiskCache(folder: folder, storesAuthorized: keeps)
            let source = ScriptedDataSource(.status(200))
            let service = WebService.scripted(source) { [authenticator = token("ann", "a")] in
                $0.authenticator = authenticator
                $0.pipeline[.rawData].cacheUsing(cache)
                $0.cachePolicy = .preferCache(maxAge: .seconds(86_400))
            }
            for _ in 0..<2 {
                _ = try await service.GET("/").data
                await cache.workQueue.drained()
            }
            #expect(source.requests.values.count == (keeps ? 1 : 2))
        }
    }

    @Test("A task can be cancelled while it waits for its credential")
    func cancel() async {
        let (source, door) = (ScriptedDataSource(.status(200)), Door())
        let authenticator = TokenAuthenticator { _ in
            await door.pass()
            return .init("late")
        }
        let task = service(source, authenticator).GET("/")
        await door.arrivals()
        task.cancel()
        #expect(await task.finalError?.isCancelled == true)
        door.open()
        #expect(source.requests.values.isEmpty)
    }
}
