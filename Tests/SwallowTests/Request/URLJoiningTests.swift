import Foundation
import Swallow
import Testing

@Suite("Joining the base URL and a path")
struct URLJoiningTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let base: String
        let path: String
        let url: String
        var testDescription: String { "\(base) + \(path)" }

        init(_ base: String, _ path: String, _ url: String) {
            self.base = base
            self.path = path
            self.url = url
        }
    }

    static let slashes = [
        Case("https://h", "", "https://h"), Case("https://h", "/", "https://h/"),
        Case("https://h/", "", "https://h/"),
        Case("https://h", "x", "https://h/x"), Case("https://h/", "/x", "https://h/x"),
        Case("https://h/v1", "stores", "https://h/v1/stores"),
        Case("https://h/v1/", "/stores/", "https://h/v1/stores/"),
        Case("https://h/v1//", "//stores", "https://h/v1/stores"),
        Case("https://h/v1", "a//b", "https://h/v1/a//b"),
        Case("https://h/v1", "", "https://h/v1"), Case("https://h/v1/", "", "https://h/v1/"),
        Case("https://h/v1", "//evil.com/x", "https://h/v1/evil.com/x"),
        Case("https://h", "@evil.com", "https://h/@evil.com"),
        Case("https://h", ".evil.com", "https://h/.evil.com"), Case("https://h", ":80/x", "https://h/:80/x"),
        Case("https://h", "ftp://x", "https://h/ftp://x"),
        Case("https://h", "httpx://x", "https://h/httpx://x"),
        Case("https://h", "x?u=https://o/", "https://h/x?u=https://o/"),
    ]

    static let queries = [
        Case("https://h/v1", "/stores?a=1", "https://h/v1/stores?a=1"),
        Case("https://h/v1?k=1", "/s", "https://h/v1/s?k=1"),
        Case("https://h/v1?k=1", "/s?a=2", "https://h/v1/s?k=1&a=2"),
        Case("https://h?k=1", "/s", "https://h/s?k=1"),
        Case("https://h/v1?k=1", "", "https://h/v1?k=1"),
        Case("https://h/v1?k=1", "?a=2", "https://h/v1?k=1&a=2"),
        Case("https://h/v1", "/s?", "https://h/v1/s?"), Case("https://h/v1?", "/s", "https://h/v1/s?"),
        Case("https://h/v1?", "/s?", "https://h/v1/s?"), Case("https://h/v1?", "", "https://h/v1?"),
        Case("https://h/v1?", "/s?a=1", "https://h/v1/s?a=1"), Case("https://h", "/s?#f", "https://h/s?"),
        Case("https://h/v1?k=1", "/s?", "https://h/v1/s?k=1"),
        Case("https://h?k=/x/", "y", "https://h/y?k=/x/"),
        Case("https://h/v1#f", "/s#g", "https://h/v1/s"),
        Case("https://h/v1?k=1#f?x", "s?a=1#g", "https://h/v1/s?k=1&a=1"),
        Case("https://h/#?k=1", "s", "https://h/s"), Case("https://h", "#f", "https://h"),
    ]

    static let authorities = [
        Case("http://h:8080/v1", "s", "http://h:8080/v1/s"),
        Case("http://[::1]:80/v1", "/s", "http://[::1]:80/v1/s"),
        Case("http://[::1]", "s", "http://[::1]/s"), Case("http://u:p%40@h/v1", "s", "http://u:p%40@h/v1/s"),
        Case("HTTP://Host/V1", "S", "HTTP://Host/V1/S"),
        Case("https://h/é x", "ü", "https://h/%C3%A9%20x/%C3%BC"),
        Case("http://127.0.0.1", "s", "http://127.0.0.1/s"), Case("http://a_b-c.d", "s", "http://a_b-c.d/s"),
    ]

    static let absolute = [
        Case("https://h/v1?k=1", "https://o/x", "https://o/x"),
        Case("https://h", "http://o:1/x?y=1", "http://o:1/x?y=1"),
        Case("https://h", "HTTPS://O", "HTTPS://O"), Case("https://h", "https://o/a b#f", "https://o/a%20b"),
        Case("not a url", "https://o/x", "https://o/x"),
        Case("https://h?k=1", "https://o/x?", "https://o/x?"),
        Case("https://h?", "https://o/x", "https://o/x"),
    ]

    @Test("The base URL and the path are joined by one slash", arguments: slashes)
    func slash(_ example: Case) throws { try check(example) }

    @Test(
        "The base URL's query precedes the path's query, and fragments are removed",
        arguments: queries)
    func query(_ example: Case) throws { try check(example) }

    @Test("Port, user, IPv6 host and case stay unchanged", arguments: authorities)
    func authority(_ example: Case) throws { try check(example) }

    @Test("A path that is an http or https URL is used unchanged", arguments: absolute)
    func whole(_ example: Case) throws { try check(example) }

    @Test("An international host name is encoded as Punycode, not percent-encoded")
    func internationalHost() throws {
        let url = try built(base: "https://exämple.com/é", "ü").url
        #expect(url?.absoluteString == "https://xn--exmple-cua.com/%C3%A9/%C3%BC")
        #expect(try built(path: "https://日本/x").url?.absoluteString == "https://xn--wgv71a/x")
    }

    @Test(
        "Parameters are appended to an existing query",
        arguments: [
            ("/s", "a=1"), ("/s?", "a=1"), ("/s?x=2", "x=2&a=1"), ("/s?x=2&", "x=2&a=1"),
            ("http://h/s?x#f", "x&a=1"),
            ("http://h/s?", "a=1"), ("/s?x=?", "x=?&a=1"),
        ])
    func parameters(path: String, expected: String) throws {
        for method: Request.Method in [.GET, .HEAD] {
            let url = try built(method, Request.Path(path), parameters: ["a": 1]).url
            #expect(url?.query(percentEncoded: true) == expected)
            #expect(url?.fragment == nil)
        }
    }

    @Test("A base URL is stored as its text")
    func baseURL() throws {
        let service = WebService(baseURL: try #require(URL(string: "https://h:1/v1?k=1")))
        #expect(service.baseURLString == "https://h:1/v1?k=1")
    }

    private func check(_ example: Case) throws {
        let request = Request(.GET, baseURLString: example.base, path: Request.Path(example.path))
        #expect(request.urlString == example.url)
        #expect(try request.urlRequest().url == URL(string: example.url))
    }
}
