import Foundation
import LoopbackServer
import Testing

@Suite("The faults")
struct FaultTests {
    let server: LoopbackServer
    let client: RawClient

    init() throws {
        server = try LoopbackServer()
        client = try RawClient(port: server.port)
    }

    private func get(_ target: String) async throws {
        try await client.write("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
    }

    @Test("Closing before the head sends nothing")
    func closeBeforeHead() async throws {
        try await get("/fault/close-before-head")
        #expect(try await client.readToEnd().isEmpty)
    }

    @Test("A reset is a reset", arguments: ["/fault/reset-before-head", "/fault/reset-mid-body"])
    func reset(target: String) async throws {
        try await get(target)
        do {
            _ = try await client.readToEnd()
            Issue.record("closed in order")
        } catch RawClient.Failure.socket(let code) {
            #expect(code == ECONNRESET)
        }
    }

    @Test("A truncated body is shorter than promised")
    func truncated() async throws {
        try await get("/fault/truncated")
        #expect(try await client.readHead().contains("Content-Length: 1000"))
        #expect(try await client.readToEnd().count == 500)
    }

    @Test("Garbage is no status line")
    func garbage() async throws {
        try await get("/fault/garbage")
        #expect(try await !client.readToEnd().starts(with: Data("HTTP/".utf8)))
    }

    @Test("Endless headers go on until the peer has enough")
    func endlessHeaders() async throws {
        do {
            let impatient = try RawClient(port: server.port)
            try await impatient.write("GET /fault/endless-headers HTTP/1.1\r\nHost: a\r\n\r\n")
            let start = String(decoding: try await impatient.read(1_000_000), as: UTF8.self)
            #expect(start.hasPrefix("HTTP/1.1 200 OK\r\nX-Endless: xxx"))
            #expect(!start.contains("\r\n\r\n"))
        }
        server.stop()
        await server.connectionsClosed()
    }

    @Test("A broken chunk follows a good one")
    func brokenChunk() async throws {
        try await get("/fault/broken-chunk")
        _ = try await client.readHead()
        #expect(try await client.readToEnd().starts(with: Data("5\r\nhello\r\nZZ\r\n".utf8)))
    }

    @Test("Closing after a response doesn't announce it")
    func closeAfter() async throws {
        let response = try await client.request("GET", "/fault/close-after")
        #expect(response.status == 200)
        #expect(response.headers["connection"] == nil)
        #expect(try await client.readToEnd().isEmpty)
    }

    @Test("Raw bytes go out as they are")
    func raw() async throws {
        let server = try LoopbackServer { _ in .raw(Data("HTTP/1.1 200\r\nA:b\r\n\r\n\0".utf8)) }
        let client = try RawClient(port: server.port)
        try await client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.readToEnd() == Data("HTTP/1.1 200\r\nA:b\r\n\r\n\0".utf8))
    }

    @Test("A stall ends when the peer leaves", arguments: ["/fault/stall", "/delay/1000000"])
    func stall(target: String) async throws {
        let server = try LoopbackServer()
        do {
            let impatient = try RawClient(port: server.port)
            try await impatient.write("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = await server.request(at: 0)
        }
        await server.connectionsClosed()
        #expect(server.connectionCount == 1)
    }
}
