import Foundation
import LoopbackServer
import Testing

@Suite("A server's life")
struct LifetimeTests {
    @Test("Each server has a port of its own")
    func ports() throws {
        let servers = try (0..<10).map { _ in try LoopbackServer() }
        #expect(Set(servers.map(\.port)).count == 10)
        #expect(servers[0].baseURLString == "http://127.0.0.1:\(servers[0].port)")
    }

    @Test(
        "stop() ends whatever is going on",
        arguments: ["/fault/stall", "/delay/1000000", "/drip?chunks=2&every=1000000"])
    func stop(target: String) async throws {
        let server = try LoopbackServer()
        let (busy, idle) = (try RawClient(port: server.port), try RawClient(port: server.port))
        #expect(try await idle.request("GET", "/json").status == 200)
        try await busy.write("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await server.request(at: 1).target == target)
        server.stop()
        // The test connects immediately, because another server may use the port later.
        #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
        server.stop()
        await server.connectionsClosed()
        _ = try await busy.readToEnd()
        #expect(try await idle.readToEnd().isEmpty)
    }

    @Test("Letting go of the server stops it, also while a connection is open")
    func release() async throws {
        var server: LoopbackServer? = try LoopbackServer()
        weak let released = server
        let port = try #require(server?.port)
        let client = try RawClient(port: port)
        #expect(try await client.request("GET", "/json").status == 200)
        server = nil
        #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
        #expect(released == nil)
        #expect(try await client.readToEnd().isEmpty)
    }

    @Test("request(at:) waits for a request that is yet to come")
    func requestAtIndex() async throws {
        let server = try LoopbackServer()
        async let third = server.request(at: 2)
        let client = try RawClient(port: server.port)
        for number in 0..<3 { _ = try await client.request("GET", "/bytes/\(number)") }
        #expect(await third.path == "/bytes/2")
        #expect(await server.request(at: 0).path == "/bytes/0")
    }

    @Test("A wait that can't succeed ends with an empty request")
    func hopelessWait() async throws {
        let server = try LoopbackServer()
        let cancelled = Task { await server.request(at: 0).method }
        cancelled.cancel()
        #expect(await cancelled.value == "")
        let stopped = Task { await server.request(at: 0).method }
        server.stop()
        #expect(await stopped.value == "")
        #expect(await server.request(at: -1).method == "")
    }

    @Test("A server that doesn't record keeps no request")
    func notRecording() async throws {
        let server = try LoopbackServer(recordsRequests: false) { .respond(.text($0.method)) }
        #expect(try await RawClient(port: server.port).request("GET", "/").text == "GET")
        #expect(server.requests.isEmpty)
        #expect(await server.request(at: 0).method == "")
    }

    @Test("Many connections are served at once")
    func concurrency() async throws {
        let server = try LoopbackServer()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for size in 0..<50 {
                group.addTask {
                    try await RawClient(port: server.port).request("GET", "/bytes/\(size)").body.count
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(counts == Set(0..<50))
        #expect(server.connectionCount == 50)
        await server.connectionsClosed()
    }
}
