import Foundation
import LoopbackServer
import Testing

@Suite("What the server understands")
struct RequestTests {
    let server: LoopbackServer
    let client: RawClient

    init() throws {
        server = try LoopbackServer()
        client = try RawClient(port: server.port)
    }

    @Test("A connection serves one request after the other")
    func keepAlive() async throws {
        for number in 1...3 {
            #expect(try await client.request("GET", "/bytes/\(number)").body.count == number)
        }
        #expect(server.connectionCount == 1)
        #expect(server.requests.map(\.target) == ["/bytes/1", "/bytes/2", "/bytes/3"])
    }

    @Test("Pipelined requests are answered in order")
    func pipelining() async throws {
        let requests = (0..<20).map { "GET /status/\(200 + $0) HTTP/1.1\r\nHost: a\r\n\r\n" }
        try await client.write(requests.joined())
        for number in 0..<20 {
            #expect(try await client.readResponse().status == 200 + number)
        }
    }

    @Test("A request that arrives octet by octet is the same request")
    func fragments() async throws {
        for byte in Data("\r\nPUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi".utf8) {
            try await client.write(Data([byte]))
        }
        #expect(try await client.readResponse().json()["body"] as? String == "hi")
    }

    @Test("`Connection: close` ends the connection after the answer")
    func connectionClose() async throws {
        let response = try await client.request("GET", "/json", headers: "Connection: Close\r\n")
        #expect(response.headers["connection"] == "close")
        #expect(try await client.readToEnd().isEmpty)
    }

    @Test("A chunked body is put together, extensions and trailers dropped")
    func chunkedBody() async throws {
        try await client.write("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        try await client.write("5;a=b\r\nhello\r\nA\r\n, world!!!\r\n0\r\nX-Trailer: 1\r\n\r\n")
        #expect(try await client.readResponse().json()["body"] as? String == "hello, world!!!")
        #expect(try await client.request("GET", "/json").status == 200)
    }

    @Test("A large body arrives whole")
    func largeBody() async throws {
        let body = String(repeating: "0123456789", count: 100_000)
        #expect(try await client.request("POST", "/status/201", body: body).status == 201)
        #expect(server.requests.first?.body == Data(body.utf8))
    }

    @Test("`Expect: 100-continue` is answered before the body is sent")
    func expectContinue() async throws {
        try await client.write(
            "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(try await client.readHead() == "HTTP/1.1 100 Continue")
        try await client.write("ok")
        #expect(try await client.readResponse().json()["body"] as? String == "ok")
    }

    @Test("HTTP/1.0 gets no chunks and no second request")
    func http10() async throws {
        try await client.write("GET /chunked/2 HTTP/1.0\r\n\r\n")
        #expect(try await !client.readHead().contains("Transfer-Encoding"))
        #expect(try await client.readToEnd() == Data("chunk 0\nchunk 1\n".utf8))
    }

    @Test(
        "What isn't HTTP is rejected and the connection closed",
        arguments: [
            ("GET /\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nBad Name: 1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\nX: 1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 67108865\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4000001\r\n", 413),
        ])
    func rejection(text: String, status: Int) async throws {
        try await client.write(text)
        let response = try await client.readResponse()
        #expect(response.status == status)
        #expect(response.headers["connection"] == "close")
        #expect(try await client.readToEnd().isEmpty)
        #expect(server.requests.isEmpty)
    }

    @Test("An endless head is rejected, and the answer isn't lost to what the peer still sends")
    func endlessHead() async throws {
        try await client.write("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 300_000))
        #expect(try await client.readResponse().status == 431)
    }

    @Test("A request knows its path, query, headers, form and port")
    func request() async throws {
        let type = "content-TYPE: application/x-www-form-urlencoded; charset=utf-8\r\n"
        _ = try await client.request(
            "POST", "/a%20b?n%5B%5D=1+1&n%5B%5D=%C3%BC&flag&=x&bad=%4", headers: type, body: "a+b=c%2Bd&e=")
        let request = await server.request(at: 0)
        #expect(request.method == "POST")
        #expect(request.path == "/a%20b")
        #expect(request.query == "n%5B%5D=1+1&n%5B%5D=%C3%BC&flag&=x&bad=%4")
        #expect(request.queryItems.map(\.name) == ["n[]", "n[]", "flag", "", "bad"])
        #expect(request.queryItems.map(\.value) == ["1+1", "ü", "", "x", "%4"])
        #expect(request.formItems.map(\.name) == ["a b", "e"])
        #expect(request.formItems.map(\.value) == ["c+d", ""])
        #expect(request.header("CONTENT-type") == "application/x-www-form-urlencoded; charset=utf-8")
        #expect(request.header("content_type") == nil)
        #expect(request.port == server.port)
    }

    @Test(
        "Every form of request target has a path",
        arguments: [
            ("http://127.0.0.1/a/b?c", "/a/b", "c"), ("http://127.0.0.1", "/", nil), ("*", "*", nil),
            ("/a?", "/a", ""), ("/a?u=http://b/?c", "/a", "u=http://b/?c"), ("//a", "//a", nil),
        ] as [(String, String, String?)])
    func targets(target: String, path: String, query: String?) async throws {
        _ = try await client.request("OPTIONS", target)
        let request = try #require(server.requests.first)
        #expect(request.target == target)
        #expect(request.path == path)
        #expect(request.query == query)
    }
}
