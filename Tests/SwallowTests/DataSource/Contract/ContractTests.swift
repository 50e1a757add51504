import Foundation
import LoopbackServer
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A data source's contract")
struct ContractTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test("Nothing is sent before resume", arguments: Contestant.allCases)
    func notResumed(contestant: Contestant) async throws {
        let source = contestant.source()
        let call = Call(try server.request("/echo", "POST", body: "x"), source)
        _ = try await server.get("/json", source)
        #expect(call.answers == 0)
        let sent = (source as? StubDataSource)?.requests.count ?? server.requests.count
        #expect(sent == 1)
    }

    @Test(
        "There is one answer, however often the task is resumed or cancelled", arguments: Contestant.allCases)
    func oneAnswer(contestant: Contestant) async throws {
        let source = contestant.source()
        let call = Call(try server.request("/json"), source)
        for _ in 0..<3 { call.task.resume() }
        #expect(await call.outcome.error == nil)
        call.task.cancel()
        call.task.suspend()
        call.task.resume()
        _ = try await server.get("/json", source)
        #expect(call.answers == 1)
    }

    @Test("Status, fields and body arrive", arguments: Contestant.allCases)
    func response(contestant: Contestant) async throws {
        let outcome = try await server.get("/json", contestant.source())
        #expect(outcome.response?.statusCode == 200)
        #expect(outcome.response?.value(forHTTPHeaderField: "content-TYPE") == "application/json")
        #expect(outcome.response?.url == (try server.request("/json")).url)
        #expect(outcome.json["name"] == "Swallow")
        let missing = try await server.get("/status/404", contestant.source())
        #expect(missing.response?.statusCode == 404)
        #expect(missing.text == "status 404")
    }

    @Test("An empty body is empty data, not nil", arguments: Contestant.allCases)
    func emptyBodies(contestant: Contestant) async throws {
        let source = contestant.source()
        for path in ["/empty", "/status/204"] {
            let outcome = try await server.get(path, source)
            #expect(outcome.data == Data())
            #expect(outcome.error == nil)
        }
        let head = await server.send(try server.request("/json", "HEAD"), source)
        #expect(head.data == Data())
        #expect(head.response?.value(forHTTPHeaderField: "Content-Length") != nil)
    }

    @Test("A large body arrives whole", arguments: Contestant.allCases)
    func largeBody(contestant: Contestant) async throws {
        let data = try await server.get("/bytes/300000", contestant.source()).data
        #expect(data == LoopbackServer.octets(300_000))
    }

    @Test(
        "Method and body are sent",
        arguments: Contestant.allCases,
        [("GET", nil), ("POST", "a=b"), ("PUT", "text"), ("PATCH", "x"), ("DELETE", nil), ("POST", nil)])
    func methods(contestant: Contestant, request: (String, String?)) async throws {
        let request = try server.request("/echo", request.0, body: request.1)
        let outcome = await server.send(request, contestant.source())
        #expect(outcome.json["method"].string == request.httpMethod)
        #expect(outcome.json["body"].string == String(decoding: request.httpBody ?? Data(), as: UTF8.self))
    }

    @Test("A stream is sent as the body", arguments: Contestant.allCases)
    func stream(contestant: Contestant) async throws {
        var request = try server.request("/echo", "POST")
        request.httpBodyStream = InputStream(data: Data("streamed".utf8))
        let outcome = await server.send(request, contestant.source())
        #expect(outcome.json["body"] == "streamed")
    }

    @Test("A suspended task gives its answer when it is resumed", arguments: Contestant.allCases)
    func suspend(contestant: Contestant) async throws {
        let source = contestant.source()
        var call: Call
        var tries = 0
        // A thread that had to wait for its turn may suspend an answered task, which shows nothing.
        repeat {
            tries += 1
            call = Call(try server.request("/bytes/300000"), source)
            call.task.suspend()
            call.task.resume()
            call.task.suspend()
            for _ in 0..<5 { _ = try await server.get("/json", source) }
        } while call.answers > 0 && contestant != .stub && tries < 20
        #expect(call.answers == 0 || contestant == .stub)
        call.task.resume()
        #expect(await call.outcome.data?.count == 300_000)
    }

    @Test(
        "A cancelled task ends at once, in whatever it does",
        arguments: Contestant.allCases, ["/fault/stall", "/drip?chunks=1000000&bytes=10&every=20", "/json"])
    func cancel(contestant: Contestant, path: String) async throws {
        let call = Call(try server.request(path), contestant.source())
        call.task.resume()
        if contestant != .stub { _ = await server.request(at: 0) }
        call.task.cancel()
        let code = await call.outcome.code
        #expect(code == .cancelled || path == "/json" && code == nil)
        call.task.resume()
        #expect(call.answers == 1)
    }

    @Test("A task cancelled before it was resumed ends, and sends nothing", arguments: Contestant.allCases)
    func cancelBeforeResume(contestant: Contestant) async throws {
        let source = contestant.source()
        for isSuspended in [false, true] {
            let call = Call(try server.request("/json"), source)
            if isSuspended { call.task.suspend() }
            call.task.cancel()
            #expect(await call.outcome.code == .cancelled)
            call.task.resume()
            #expect(call.answers == 1)
        }
        #expect(server.requests.isEmpty)
        #expect((source as? StubDataSource)?.requests.isEmpty != false)
    }

    @Test("A suspended task can be cancelled", arguments: Contestant.allCases)
    func cancelSuspended(contestant: Contestant) async throws {
        let call = Call(try server.request("/fault/stall"), contestant.source())
        call.task.resume()
        call.task.suspend()
        call.task.cancel()
        #expect(await call.outcome.code == .cancelled)
    }
}
