import Foundation
import LoopbackServer
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("What transports have in common")
struct TransportContractTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test("A body that breaks off leaves its head with the error", arguments: Contestant.transports)
    func brokenOff(contestant: Contestant) async throws {
        let outcome = try await server.get("/fault/truncated", contestant.source())
        #expect(outcome.error != nil && outcome.response?.statusCode == 200)
        let task = WebService.test(contestant.source(), base: server.baseURLString).GET("/fault/truncated")
        let error = await task.result.failure
        #expect(error?.response?.statusCode == 200 && error?.statusCode == 200)
    }

    @Test("Fields that come twice are joined", arguments: Contestant.transports)
    func duplicates(contestant: Contestant) async throws {
        let path = "/headers?X-A=1&X-A=2&Set-Cookie=a%3D1&Set-Cookie=b%3D2%3B%20Path%3D/"
        let response = try await server.get(path, contestant.source()).response
        #expect(response?.value(forHTTPHeaderField: "X-A") == "1, 2")
        #expect(response?.value(forHTTPHeaderField: "Set-Cookie") == "a=1, b=2; Path=/")
    }

    @Test("Informational responses are skipped", arguments: Contestant.transports)
    func informational(contestant: Contestant) async throws {
        let outcome = try await server.get("/informational/3", contestant.source())
        #expect(outcome.response?.statusCode == 200)
        #expect(outcome.response?.value(forHTTPHeaderField: "Link") == nil)
        #expect(outcome.json["name"] == "Swallow")
    }

    @Test("A gzip body is unpacked, its fields are kept", arguments: Contestant.transports)
    func gzip(contestant: Contestant) async throws {
        let outcome = try await server.get("/gzip", contestant.source())
        #expect(outcome.json["gzipped"] == true)
        #expect(outcome.response?.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
    }

    @Test("Chunks and drips arrive whole", arguments: Contestant.transports)
    func chunks(contestant: Contestant) async throws {
        let source = contestant.source()
        let drip = try await server.get("/drip?chunks=5&bytes=60000&every=1", source)
        #expect(drip.data?.count == 300_000)
        let chunked = try await server.get("/chunked/1000", source)
        #expect(chunked.text.hasSuffix("chunk 999\n"))
    }

    @Test("An empty query is sent", arguments: Contestant.transports)
    func emptyQuery(contestant: Contestant) async throws {
        let service = WebService.test(contestant.source(), base: server.baseURLString)
        #expect(try await service.GET("/echo?").json["target"] == "/echo?")
        #expect(try await service.GET("/echo").json["target"] == "/echo")
        #expect(try await service.GET("/echo", parameters: ["a": nil]).json["target"] == "/echo")
    }

    @Test("The fields of a request are sent", arguments: Contestant.transports)
    func fields(contestant: Contestant) async throws {
        var request = try server.request("/echo", "POST", body: "x")
        request.setValue("b", forHTTPHeaderField: "X-A")
        request.setValue("application/x-own", forHTTPHeaderField: "Content-Type")
        request.setValue("Own/1", forHTTPHeaderField: "User-Agent")
        let headers = await server.send(request, contestant.source()).json["headers"]
        #expect(headers["x-a"] == "b")
        #expect(headers["content-type"] == "application/x-own")
        #expect(headers["user-agent"] == "Own/1")
        #expect(headers["content-length"] == "1")
        #expect(!headers["expect"].exists)
    }

    @Test(
        "The length of a body is the body's, and is sent once (RFC 9112 §6.2)",
        arguments: Contestant.transports)
    func framing(contestant: Contestant) async throws {
        var request = try server.request("/echo", "POST", body: "x")
        request.setValue("5", forHTTPHeaderField: "Content-Length")
        request.setValue("chunked", forHTTPHeaderField: "transfer-encoding")
        let json = await server.send(request, contestant.source()).json
        #expect(json["headers"]["content-length"] == "1")
        #expect(!json["headers"]["transfer-encoding"].exists)
        #expect(json["body"] == "x")
    }

    @Test("TRACE with a body is refused (RFC 9110 §9.3.8)", arguments: Contestant.transports)
    func trace(contestant: Contestant) async throws {
        let outcome = await server.send(try server.request("/echo", "TRACE", body: "x"), contestant.source())
        #expect((outcome.error as? ServiceError)?.reason == .invalidRequest)
        #expect(server.requests.isEmpty)
    }

    @Test("Fields that a request doesn't set are the same everywhere", arguments: Contestant.transports)
    func defaults(contestant: Contestant) async throws {
        let get = try await server.get("/echo", contestant.source()).json["headers"]
        #expect(get["accept"] == "*/*")
        #expect(get["accept-encoding"].string?.contains("gzip") == true)
        #expect(get["user-agent"].string?.isEmpty == false)
        #expect(!get["content-length"].exists)
        let post = await server.send(try server.request("/echo", "POST", body: "x"), contestant.source())
        #expect(post.json["headers"]["content-type"] == "application/x-www-form-urlencoded")
        let put = await server.send(try server.request("/echo", "PUT", body: "x"), contestant.source())
        #expect(!put.json["headers"]["content-type"].exists)
        let empty = await server.send(try server.request("/echo", "POST"), contestant.source())
        #expect(!empty.json["headers"]["content-type"].exists)
        #expect(empty.json["headers"]["content-length"] == "0")
    }

    @Test("Connections are used again", arguments: Contestant.transports)
    func reuse(contestant: Contestant) async throws {
        let requests = try (0..<20).map { _ in try server.request("/json") }
        let outcomes = await server.sendInTurn(requests, contestant.source())
        #expect(outcomes.allSatisfy { $0.status == 200 })
        #expect(server.connectionCount == 1)
    }

    @Test("Cookies are kept and sent, unless the request says no", arguments: Contestant.transports)
    func cookies(contestant: Contestant) async throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let source = contestant.source(cookies: storage)
        let name = "swallow-\(contestant.rawValue)"
        _ = try await server.get("/headers?Set-Cookie=\(name)%3D1&Set-Cookie=\(name)-b%3D2", source)
        let cookies = try await server.get("/echo", source).json["headers"]["cookie"].string ?? ""
        #expect(cookies.contains("\(name)=1") && cookies.contains("\(name)-b=2"))
        var request = try server.request("/echo")
        request.httpShouldHandleCookies = false
        let headers = await server.send(request, source).json["headers"]
        #expect(headers["host"].exists && !headers["cookie"].exists)
        request.httpShouldHandleCookies = true
        request.setValue("own=1", forHTTPHeaderField: "Cookie")
        #expect(await server.send(request, source).json["headers"]["cookie"] == "own=1")
    }

    @Test("Without a storage there are no cookies", arguments: Contestant.transports)
    func noCookies(contestant: Contestant) async throws {
        let source = contestant.source()
        _ = try await server.get("/headers?Set-Cookie=nobody%3D1", source)
        let headers = try await server.get("/echo", source).json["headers"]
        #expect(headers["host"].exists)
        #expect(headers["cookie"].string?.contains("nobody") != true)
    }

    @Test("A request without a byte for too long is timed out", arguments: Contestant.transports)
    func idleTimeout(contestant: Contestant) async throws {
        var request = try server.request("/fault/stall")
        request.timeoutInterval = 0.2
        #expect(await server.send(request, contestant.source()).code == .timedOut)
    }

    @Test("A cancelled request leaves the server", arguments: Contestant.transports)
    func cancelCloses(contestant: Contestant) async throws {
        let call = Call(try server.request("/fault/stall"), contestant.source())
        call.task.resume()
        _ = await server.request(at: 0)
        call.task.cancel()
        await server.connectionsClosed()
        #expect(await call.outcome.code == .cancelled)
    }

    @Test(
        "A server that fails ends the request in a URLError",
        arguments: Contestant.transports,
        [
            "close-before-head", "reset-before-head", "reset-mid-body", "truncated", "garbage",
            "broken-chunk",
        ])
    func faults(contestant: Contestant, fault: String) async throws {
        let outcome = try await server.get("/fault/\(fault)", contestant.source())
        #expect(outcome.error is URLError)
        #expect(outcome.data == nil)
    }

    @Test("A refused connection and an unknown host are told apart", arguments: Contestant.transports)
    func unreachable(contestant: Contestant) async throws {
        let source = contestant.source()
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let refused = URLRequest.to(port.baseURLString + "/")
        #expect(await server.send(refused, source).code == .cannotConnectToHost)
        let unknown = URLRequest(url: try #require(URL(string: "http://unknown.invalid/")))
        #expect(await server.send(unknown, source).code == .cannotFindHost)
    }
}
