import Foundation
import Swallow
import TestSupport
import Testing

@Suite("The parts of a URL that patterns match")
struct URLPatternScopeTests {
    @Test("A path pattern is relative to the base URL, even if the request's URL is absolute")
    func absolutePath() {
        let pattern: URLPattern = "/users/*"
        #expect(WebService.configures(pattern, base: "http://h/v1", path: "http://h/v1/users/7"))
        #expect(!WebService.configures(pattern, base: "http://h/v1", path: "http://h/users/7"))
        #expect(!WebService.configures(pattern, base: "http://h/v1", path: "http://o/v1/users/7"))
        #expect(!WebService.configures("**", base: "http://h", path: "http://h.evil.com/x"))
        #expect(!WebService.configures("**", base: "http://h/v1", path: "http://h/v1x/y"))
        #expect(!WebService.configures("**", base: "http://h", path: "http://h@evil.com/x"))
    }

    @Test("A pattern with a complete URL matches the complete URL without its query")
    func wholeURL() {
        #expect(WebService.configures("http://h/v1/users/*", base: "http://h/v1", path: "users/7?x=1"))
        #expect(!WebService.configures("http://h/users/*", base: "http://h/v1", path: "users/7"))
        #expect(WebService.configures("https://cdn/**", base: "http://h", path: "https://cdn/a/b"))
        #expect(!WebService.configures("https://cdn/**", base: "http://h", path: "/a/b"))
        #expect(WebService.configures("http://*/x", base: "http://h", path: "http://any/x"))
    }

    @Test("A closure receives the joined URL and decides")
    func matching() {
        let urls = Recorder<URL>()
        let pattern = URLPattern.matching { url in
            urls.append(url)
            return url.path.hasSuffix(".xml")
        }
        #expect(WebService.configures(pattern, base: "http://h/v1", path: "/a b.xml?q=1"))
        #expect(!WebService.configures(pattern, base: "http://h/v1", path: "/a.json"))
        #expect(!WebService.configures(pattern, base: "http://exa mple", path: "/a.xml"))
        #expect(urls.values.map { $0.absoluteString } == ["http://h/v1/a%20b.xml?q=1", "http://h/v1/a.json"])
    }

    @Test("User info is ignored, in the base URL, in a request's URL and in a pattern")
    func userinfo() {
        let users = ["", "ann@", "ann:pw@", "@"]
        for (user, other) in users.flatMap({ user in users.map { (user, $0) } }) {
            let base = "http://\(user)h/v1"
            let (text, wholePattern) = ("http://\(other)h/v1/users/7?x=a@b", "http://\(other)h/v1/users/*")
            let path = Request.Path(text)
            #expect(WebService.configures("/users/*", base: base, path: path), "\(user) \(other)")
            #expect(WebService.configures("http://h/v1/users/*", base: base, path: path))
            #expect(
                WebService.configures(URLPattern(wholePattern), base: base, path: "users/7"))
            #expect(!WebService.configures("/users/*", base: base, path: "http://h@evil.com/v1/users/7"))
        }
        let urls = Recorder<URL>()
        let pattern = URLPattern.matching { url in
            urls.append(url)
            return true
        }
        #expect(WebService.configures(pattern, base: "http://ann:pw@h/v1", path: "/a@b"))
        #expect(urls.values.map { $0.absoluteString } == ["http://h/v1/a@b"])
    }

    @Test("The pattern .all matches all URLs, including other origins")
    func all() {
        for path: Request.Path in ["", "/x", "http://o/x", "not a url"] {
            #expect(WebService.configures(.all, base: "http://h", path: path))
        }
    }

    @Test("Methods restrict a pattern")
    func methods() {
        #expect(
            WebService.configures(
                "/x", methods: [.POST, "PATCH"], base: "http://h", path: "/x", method: .PATCH))
        #expect(!WebService.configures("/x", methods: [.POST], base: "http://h", path: "/x", method: .GET))
        #expect(
            !WebService.configures("/x", methods: ["patch"], base: "http://h", path: "/x", method: .PATCH))
        #expect(!WebService.configures("/x", methods: [], base: "http://h", path: "/x"))
    }

    @Test("A pattern's description is its text")
    func description() {
        #expect(URLPattern("/users/*").description == "/users/*")
        #expect("\(URLPattern.all)" == "**")
    }
}
