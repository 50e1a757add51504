import Foundation
import LoopbackServer
import Swallow
import SwallowTesting
import Testing

/// Tests the bytes of responses, which an HTTP client doesn't show.
@Suite("What a test server sends")
struct ResponseTests {
    private static let chunks = TestServer.Response.chunks(
        ["a", "b", "c"].map { Data($0.utf8) }, contentType: nil)

    private func bytes(_ response: TestServer.Response, closing: Bool = true) async throws -> String {
        let server = try await TestServer(response)
        let client = try RawClient(port: UInt16(server.port))
        let connection = closing ? "Connection: close\r\n" : ""
        try await client.write("GET / HTTP/1.1\r\nHost: a\r\n\(connection)\r\n")
        let bytes = try await client.readToEnd()
        server.stop()
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("A response has its fields, its length and its body")
    func response() async throws {
        let response = TestServer.Response.text("hello", status: 201, headers: ["X-A": "1", "X-A": "2"])
        #expect(
            try await bytes(response) == """
                HTTP/1.1 201 Created\r\nX-A: 1\r\nX-A: 2\r\nContent-Type: text/plain; charset=utf-8\r\n\
                Content-Length: 5\r\nConnection: close\r\n\r\nhello
                """)
    }

    @Test("Chunks are sent as they are, and empty ones are omitted")
    func chunks() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        #expect(try await bytes(Self.chunks) == head + "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n")
        let (stream, source) = AsyncStream<Data>.makeStream()
        for text in ["ab", "", "c"] { source.yield(Data(text.utf8)) }
        source.finish()
        #expect(
            try await bytes(.stream(stream, contentType: nil)) == head + "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
    }

    @Test("An interrupted response ends at its moment")
    func interrupted() async throws {
        let text = TestServer.Response.data(Data("12345678".utf8), contentType: nil)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"
        #expect(try await bytes(text.closed(.beforeHead), closing: false) == "")
        #expect(try await bytes(text.closed(.inHead), closing: false) == "HTTP/1.1 200 OK\r\nCo")
        #expect(try await bytes(text.closed(.inBody), closing: false) == head + "1234")
        #expect(try await bytes(text.closed(.afterBody), closing: false) == head + "12345678")
        let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(
            try await bytes(Self.chunks.closed(.inBody), closing: false) == chunkedHead
                + "1\r\na\r\n1\r\nb\r\n")
        #expect(
            try await bytes(Self.chunks.closed(.afterBody), closing: false)
                == chunkedHead + "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n")
    }

    @Test("A wrong length replaces the length of the body, and the connection is closed")
    func length() async throws {
        let response = TestServer.Response.data(Data("12345".utf8), contentType: nil)
        for length in [2, 50] {
            #expect(
                try await bytes(response.contentLength(length), closing: false)
                    == "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n12345")
        }
    }

    @Test("Chunks are sent without their framing if the response has a length and no Transfer-Encoding")
    func unframed() async throws {
        let response = Self.chunks.contentLength(3)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        #expect(try await bytes(response, closing: false) == head + "abc")
        #expect(try await bytes(response.closed(.inBody), closing: false) == head + "ab")
        let chunked = TestServer.Response.chunks(
            [Data("a".utf8)], contentType: nil, headers: ["Transfer-Encoding": "chunked"])
        #expect(
            try await bytes(chunked.contentLength(3), closing: false)
                == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n1\r\na\r\n0\r\n\r\n"
        )
    }

    @Test("The last response of a limited connection announces the close")
    func limit() async throws {
        let server = try await TestServer(requestsPerConnection: 2) { _ in .status(204) }
        let client = try RawClient(port: UInt16(server.port))
        #expect(try await client.request("GET", "/").headers["connection"] == nil)
        #expect(try await client.request("GET", "/").headers["connection"] == "close")
        #expect(try await client.readToEnd().isEmpty)
        server.stop()
    }

    @Test("Events are sent as the WHATWG's format has them")
    func events() async throws {
        let events = [
            ServerSentEvent(data: "a\nb"),
            ServerSentEvent(id: "7", event: "price", data: "", retry: .seconds(2)),
        ]
        let text = try await bytes(.events(events))
        #expect(text.contains("Content-Type: text/event-stream\r\n"))
        #expect(text.contains("data: a\ndata: b\n\n"))
        #expect(text.contains("event: price\ndata: \nid: 7\nretry: 2000\n\n"))
    }
}
