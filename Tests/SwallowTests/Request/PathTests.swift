import Foundation
import Swallow
import TestSupport
import Testing

@Suite("Paths")
struct PathTests {
    enum Feed: String, PathSegmentConvertible { case top = "t/o p" }
    enum Page: Int, PathSegmentConvertible { case second = 2 }

    @Test("keep literal text, query included")
    func literals() {
        let path: Request.Path = "/a/b;c=1/d?x=%20&y=z+1"
        #expect(path.text == "/a/b;c=1/d?x=%20&y=z+1")
        #expect("\(path)" == path.text)
    }

    @Test(
        "hold an interpolated value as one segment",
        arguments: [
            ("../admin?x=/", "..%2Fadmin%3Fx%3D%2F"), ("a b", "a%20b"), ("%2e%2e", "%252e%252e"),
            ("é", "%C3%A9"),
            ("..\\..", "..%5C.."), ("#", "%23"), ("...", "..."), (".a", ".a"), ("\r\n", "%0D%0A"),
            ("\0", "%00"),
            ("http://evil.com", "http%3A%2F%2Fevil.com"), ("//evil.com", "%2F%2Fevil.com"),
            ("日本", "%E6%97%A5%E6%9C%AC"),
        ])
    func interpolation(value: String, segment: String) throws {
        let path: Request.Path = "/users/\(value)/repos"
        #expect(path.text == "/users/\(segment)/repos")
        #expect(Request.Path("/users/\(value)/repos") == path)
        #expect(try built(path: path).url?.absoluteString == "http://h/users/\(segment)/repos")
        // What a path begins with may not be a path itself: `DictionaryParametersTests`.
        if value.hasPrefix("/") || value.contains("://") { return }
        let first: Request.Path = "\(value)"
        #expect(try built(path: first).url?.absoluteString == "http://h/\(segment)")
    }

    @Test("take every kind of segment")
    func kinds() throws {
        let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let path: Request.Path =
            "/\(Int8.min)/\(UInt64.max)/\(id)/\(Feed.top)/\(Page.second)/\("x/y/z".dropFirst(2))/\("literal")"
        #expect(path.text == "/-128/18446744073709551615/\(id.uuidString)/t%2Fo%20p/2/y%2Fz/literal")
    }

    @Test("take raw text and other paths as they are")
    func raw() throws {
        let users: Request.Path = "/users/\("a/b")"
        let path: Request.Path = "\(users)/x\(raw: "/y/z?q=1")"
        #expect(path.text == "/users/a%2Fb/x/y/z?q=1")
        let whole: Request.Path = "\(raw: "https://other/x")/\(7)"
        #expect(try built(path: whole).url?.absoluteString == "https://other/x/7")
    }

    @Test("can't be climbed out of", arguments: ["", ".", ".."])
    func dotSegments(value: String) {
        let paths: [Request.Path] = [
            "/users/\(value)/repos", "/users/\(value)", "\(value)", "/a/\(7)/\(value)?x=1", "/\(value[...])",
        ]
        for path in paths {
            let error = failure { () throws(ServiceError) in try built(path: path) }
            #expect(error?.reason == .invalidURL)
            #expect(error?.description.contains("segment \"\(value)\"") == true)
        }
        let inside: Request.Path = "\(paths[0])/more"
        #expect(failure { () throws(ServiceError) in try built(path: inside) }?.reason == .invalidURL)
        let joined: Request.Path = "/a/.\(value)"
        #expect(failure { () throws(ServiceError) in try built(path: joined) }?.reason == .invalidURL)
    }

    @Test("An empty value in the query is legal, and can't add to it", arguments: ["", ".", "..", "a&b=c#d"])
    func query(value: String) throws {
        let path: Request.Path = "/search?q=\(value)&n=1"
        let url = try built(path: path).url
        #expect(url?.path(percentEncoded: true) == "/search")
        #expect(url?.query(percentEncoded: true)?.hasSuffix("&n=1") == true)
        #expect(url?.query(percentEncoded: true)?.split(separator: "&").count == 2)
        #expect(url?.fragment == nil)
    }

    @Test("Dots of the caller's own are kept")
    func ownDots() throws {
        #expect(try built(base: "http://h/v1", "../x/./y").url?.absoluteString == "http://h/v1/../x/./y")
    }

    @Test("escape what no URI may hold, and keep escapes that are there")
    func illegal() throws {
        #expect(Request.Path("/a b/é/\"<>\\^`{|}").text == "/a%20b/%C3%A9/%22%3C%3E%5C%5E%60%7B%7C%7D")
        #expect(Request.Path("/a%20b/%c3%a9?x=%2F").text == "/a%20b/%c3%a9?x=%2F")
        let once = Request.Path("/é b")
        #expect(Request.Path(once.text) == once)
        let name = "a b"
        let mixed: Request.Path = "/é é/\(name)"
        #expect(mixed.text == "/%C3%A9%20%C3%A9/a%20b")
    }

    @Test(
        "with control characters or a stray % are unusable",
        arguments: [
            "/a\nb", "/a\r\nHost: evil", "/a\0", "/\u{7F}", "/\t", "/100%", "/%4", "/%zz", "/x?y=%",
            "https://other/%", "/é%é",
        ])
    func unusable(text: String) {
        let error = failure { () throws(ServiceError) in try built(path: Request.Path(text)) }
        #expect(error?.reason == .invalidURL)
        #expect(error?.description.isEmpty == false)
    }

    @Test("compare by their text")
    func equality() {
        let id = 7
        #expect("/users/\(id)" as Request.Path == "/users/7")
        #expect(Set<Request.Path>(["/a", "/b", "/\("a")"]).count == 2)
    }
}
