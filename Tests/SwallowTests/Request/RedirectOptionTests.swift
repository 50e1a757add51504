import Foundation
import LoopbackServer
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The redirect policy of one request")
struct RedirectOptionTests {
    private static let stays: [Request.Option] = [
        .redirects(.doNotFollow), .acceptableStatusCodes([200..<300, 302]),
    ]
    private static let moved: Request.Path = "/redirect-to?url=/echo&status=302"

    /// Forwards requests like an app's own adapter, which doesn't know about redirects.
    private struct Tagging: SessionDataTaskDataSource {
        let base: any SessionDataTaskDataSource

        func dataTask(
            with request: URLRequest,
            completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
        ) -> any DataTask {
            var request = request
            request.setValue("1", forHTTPHeaderField: "X-Tag")
            return base.dataTask(with: request, completion: completion)
        }
    }

    @Test(
        "doNotFollow returns the redirect itself, over each data source and adapter, for this request only",
        arguments: Contestant.allCases.filter { $0 != .ownSession })
    func doNotFollow(contestant: Contestant) async throws {
        let server = try LoopbackServer()
        let service = WebService.test(contestant.source(), base: server.baseURLString)
        let entity = try await service.GET(Self.moved, options: Self.stays).result.get()
        #expect(entity.statusCode == 302 && entity.headers["Location"] == "/echo")
        #expect(server.requests.count == 1)
        #expect(try await service.GET(Self.moved).json["path"] == "/echo")
    }

    @Test("The policy doesn't apply to other requests that an interceptor sends")
    func requestsOfInterceptor() async throws {
        let server = try LoopbackServer()
        let other = WebService.test(Tagging(base: WebService.standardDataSource), base: server.baseURLString)
        let source = WebService.standardDataSource.intercepting { request, next in
            #expect(try await other.GET(Self.moved).json["path"] == "/echo")
            return try await next(request)
        }
        let service = WebService.test(source, base: server.baseURLString)
        #expect(try await service.GET(Self.moved, options: Self.stays).result.get().statusCode == 302)
    }

    @Test(
        "The policy passes through an app's own adapter and several of Swallow's adapters",
        arguments: [false, true])
    func adapters(isStreamed: Bool) async throws {
        let server = try LoopbackServer()
        let source = Tagging(
            base: Tagging(base: WebService.standardDataSource).intercepting { try await $1($0) })
        let service = WebService.test(source.coalescing(), base: server.baseURLString)
        let task = service.GET(Self.moved, options: Self.stays)
        if isStreamed {
            #expect(try await task.body.head.statusCode == 302)
        } else {
            #expect(try await task.result.get().statusCode == 302)
        }
        #expect(server.requests.count == 1)
    }

    @Test("A request can follow redirects over a data source that doesn't", arguments: Contestant.transports)
    func follow(contestant: Contestant) async throws {
        let server = try LoopbackServer()
        let service = WebService.test(
            contestant.source(redirects: .doNotFollow), base: server.baseURLString)
        let task = service.GET("/redirect/2", options: [.redirects(.follow(max: 2))])
        #expect(try await task.json["path"] == "/echo")
        let limited = await service.GET("/redirect/2", options: [.redirects(.follow(max: 1))]).result
        #expect(limited.failure?.reason == .transport(URLError(.httpTooManyRedirects)))
    }

    @Test("Stubs and recordings apply the policy")
    func stubs() async throws {
        let stub = StubDataSource()
        stub.stub(.GET, "/moved", .status(302, headers: ["Location": "/new"]))
        stub.stub(.GET, "/new", .json([1]))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let recorded = WebService.test(stub.recording(to: file))
        #expect(try await recorded.GET("/moved", options: Self.stays).result.get().statusCode == 302)
        #expect(try await recorded.GET("/moved").json == [1])
        #expect(stub.requests.count == 3)
        let har = try HAR(contentsOf: file)
        let replay = WebService.test(ReplayingDataSource(har))
        #expect(try await replay.GET("/moved", options: Self.stays).result.get().statusCode == 302)
        #expect(try await replay.GET("/moved").json == [1])
    }

    @Test("Over an app's own session, the request fails and isn't sent", arguments: [false, true])
    func ownSession(isAdapted: Bool) async throws {
        let server = try LoopbackServer()
        let session = Contestant.ownSession.source()
        let source: any SessionDataTaskDataSource =
            isAdapted ? session.intercepting { try await $1($0) } : session
        let service = WebService.test(source, base: server.baseURLString)
        let error = await service.GET("/echo", options: Self.stays).result.failure
        #expect(error?.reason == .invalidRequest)
        #expect(error?.description.contains("follows redirects itself") == true)
        #expect(server.requests.isEmpty)
        #expect(try await service.GET("/echo").json["path"] == "/echo")
    }

    @Test(
        "Over an unknown data source that doesn't apply the policy, the request fails when the head arrives",
        arguments: [false, true])
    func unknownSource(isStreamed: Bool) async throws {
        let source = ManualDataSource()
        let service = WebService.test(Tagging(base: source))
        let task = service.GET("/a", options: Self.stays)
        let body = isStreamed ? task.body : nil
        await source.exchange.answer("[1]")
        if let body {
            await #expect(throws: ServiceError.self) { try await body.head }
        }
        #expect(await task.result.failure?.reason == .invalidRequest)
    }

    @Test("A response that an interceptor returns without a request is accepted")
    func ownResponse() async throws {
        let source = ManualDataSource().intercepting { request, _ in
            try InterceptedResponse(status: 200, data: Data("[1]".utf8), to: request)
        }
        #expect(try await WebService.test(source).GET("/a", options: Self.stays).json == [1])
    }

    @Test("A request with its own policy isn't joined with an identical one")
    func coalescing() async throws {
        let stub = StubDataSource()
        let gate = Gate()
        stub.stub(.GET, "/moved", .status(302, headers: ["Location": "/new"]).held(by: gate))
        stub.stub(.GET, "/new", .json([1]))
        let service = WebService.test(stub.coalescing())
        let (following, staying) = (service.GET("/moved"), service.GET("/moved", options: Self.stays))
        gate.open()
        #expect(try await staying.result.get().statusCode == 302)
        #expect(try await following.json == [1])
        #expect(stub.requests.filter { $0.url?.path == "/moved" }.count == 2)
    }

    @Test("Each retry applies the policy")
    func retry() async throws {
        let stub = StubDataSource()
        stub.stub(
            .GET, "/moved", .sequence([.status(503), .status(302, headers: ["Location": "/new"])]))
        let clock = ManualClock()
        var service = WebService.test(stub.coalescing())
        service.clock = clock
        service.configure { $0.retry = RetryPolicy() }
        let task = service.GET("/moved", options: Self.stays)
        await clock.run(until: task)
        #expect(try await task.result.get().statusCode == 302)
        #expect(stub.requests.count == 2)
    }
}
