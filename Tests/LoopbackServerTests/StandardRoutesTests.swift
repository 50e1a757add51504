import Foundation
import LoopbackServer
import Testing

@Suite("The standard routes")
struct StandardRoutesTests {
    let server: LoopbackServer
    let client: RawClient

    init() throws {
        server = try LoopbackServer()
        client = try RawClient(port: server.port)
    }

    @Test("/echo tells what it was sent")
    func echo() async throws {
        let headers = "X-Twice: 1\r\nX-TWICE: 2\r\n"
        let json = try await client.request("PATCH", "/echo?a=1&a=2", headers: headers, body: #"{"b":[1]}"#)
            .json()
        #expect(json["method"] as? String == "PATCH")
        #expect(json["target"] as? String == "/echo?a=1&a=2")
        #expect(json["path"] as? String == "/echo")
        #expect(json["query"] as? [String: String] == ["a": "2"])
        #expect(json["queryItems"] as? [[String]] == [["a", "1"], ["a", "2"]])
        #expect((json["headers"] as? [String: String])?["x-twice"] == "1, 2")
        #expect(json["body"] as? String == #"{"b":[1]}"#)
        #expect(json["json"] as? [String: [Int]] == ["b": [1]])
        #expect(json["form"] as? [String: String] == [:])
    }

    @Test("/echo decodes a form")
    func echoForm() async throws {
        let type = "Content-Type: application/x-www-form-urlencoded\r\n"
        let json = try await client.request("POST", "/echo", headers: type, body: "a=1&a=2+3").json()
        #expect(json["form"] as? [String: String] == ["a": "2 3"])
        #expect(json["formItems"] as? [[String]] == [["a", "1"], ["a", "2 3"]])
        #expect(json["json"] is NSNull)
    }

    @Test(
        "HEAD gets the head of GET", arguments: ["/json", "/bytes/70000", "/status/404", "/text", "/empty"])
    func head(target: String) async throws {
        let full = try await client.request("GET", target)
        let head = try await client.request("HEAD", target)
        #expect(head.status == full.status)
        #expect(head.headers == full.headers)
        #expect(head.headers["content-length"] == "\(full.body.count)")
        #expect(try await client.request("GET", "/json").status == 200)
    }

    @Test("A status without content has no Content-Length", arguments: [204, 304])
    func bodiless(status: Int) async throws {
        let response = try await client.request("GET", "/status/\(status)")
        #expect(response.status == status)
        #expect(response.headers["content-length"] == nil)
        #expect(try await client.request("GET", "/status/418").text == "status 418")
    }

    @Test("/status takes a body and a type")
    func statusBody() async throws {
        let response = try await client.request("GET", "/status/422?body=%7B%7D&type=application/json")
        #expect(response.text == "{}")
        #expect(response.headers["content-type"] == "application/json")
    }

    @Test("/headers sets headers and lets none end its line")
    func headers() async throws {
        let response = try await client.request("GET", "/headers?X-A=b%20c&ETag=%22d%22&X-B=1%0D%0AX-C:2")
        #expect(response.headers["x-a"] == "b c")
        #expect(response.headers["etag"] == #""d""#)
        #expect(response.headers["x-b"] == "1  X-C:2")
        #expect(response.headers["content-type"] == "application/json")
        #expect(try await client.request("GET", "/headers?Content-Type=a/b").headers["content-type"] == "a/b")
        #expect(try await client.request("GET", "/headers?a%20b=c").status == 400)
    }

    @Test("/redirect/N is a chain of N redirects")
    func redirects() async throws {
        #expect(try await client.request("GET", "/redirect/2").headers["location"] == "/redirect/1")
        #expect(try await client.request("GET", "/redirect/1").headers["location"] == "/echo")
        let response = try await client.request("GET", "/redirect-to?url=http://a/%3Fb&status=307")
        #expect(response.status == 307)
        #expect(response.headers["location"] == "http://a/?b")
    }

    @Test("Content comes in all framings")
    func framings() async throws {
        #expect(try await client.request("GET", "/chunked/3").text == "chunk 0\nchunk 1\nchunk 2\n")
        #expect(try await client.request("GET", "/chunked/0").body.isEmpty)
        #expect(try await client.request("GET", "/drip?chunks=3&bytes=4&every=1").body.count == 12)
        #expect(try await client.request("GET", "/delay/1").json()["delayed"] as? Bool == true)
        let octets = try await client.request("GET", "/bytes/100000").body
        #expect(octets.count == 100_000)
        #expect(octets.enumerated().allSatisfy { Int($1) == $0 % 251 })
        let empty = try await client.request("GET", "/empty")
        #expect(empty.headers["content-length"] == "0")
        #expect(empty.headers["content-type"] == "application/json")
    }

    @Test(
        "/text speaks the charset asked for",
        arguments: [
            ("", "Grüße"), ("?charset=utf-8", "Grüße"), ("?charset=ISO-8859-1", "Gr\u{FFFD}\u{FFFD}e"),
        ])
    func text(query: String, text: String) async throws {
        #expect(try await client.request("GET", "/text\(query)").text == text)
    }

    @Test("/gzip is what gzip -n would make without compressing")
    func gzip() async throws {
        let content = #"{"gzipped":true,"message":"unpacked"}"#
        let response = try await client.request("GET", "/gzip")
        let count = UInt8(content.utf8.count)
        #expect(response.headers["content-encoding"] == "gzip")
        #expect([UInt8](response.body.prefix(10)) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
        #expect([UInt8](response.body[10..<15]) == [1, count, 0, ~count, 0xFF])
        #expect(response.body[15...].starts(with: content.utf8))
        #expect([UInt8](response.body.suffix(4)) == [count, 0, 0, 0])
        #expect(try await client.request("GET", "/gzip-corrupt").body[10] == 7)
    }

    @Test("Basic authentication opens with the right password")
    func authentication() async throws {
        let refused = try await client.request("GET", "/basic-auth/ann/p%20w")
        #expect(refused.status == 401)
        #expect(refused.headers["www-authenticate"] == #"Basic realm="loopback""#)
        let credentials = Data("ann:p w".utf8).base64EncodedString()
        let headers = "Authorization: Basic \(credentials)\r\n"
        #expect(try await client.request("GET", "/basic-auth/ann/p%20w", headers: headers).status == 200)
        #expect(try await client.request("GET", "/unauthorized").headers["www-authenticate"] == "Bearer")
    }

    @Test("Informational responses come before the final one")
    func informational() async throws {
        try await client.write("GET /informational/2 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.readResponse().status == 103)
        #expect(try await client.readResponse().status == 103)
        #expect(try await client.readResponse().status == 200)
    }

    @Test(
        "Anything else is not found",
        arguments: [
            "/", "/nothing", "/status/abc", "/status/199", "/status/600", "/bytes/-1", "/bytes/99999999999",
            "/fault/none", "/basic-auth/a", "/a/b/c/d", "*",
        ])
    func notFound(target: String) async throws {
        let response = try await client.request("GET", target)
        #expect(response.status == 404)
        #expect(try response.json()["message"] as? String == "no such route")
    }
}
