import Foundation
import Swallow
import Testing

@Suite("URL patterns")
struct URLPatternTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let pattern: String
        let path: String
        let matches: Bool
        var testDescription: String { "\(pattern) \(matches ? "matches" : "doesn't match") \(path)" }

        static func yes(_ pattern: String, _ path: String) -> Case {
            Case(pattern: pattern, path: path, matches: true)
        }
        static func no(_ pattern: String, _ path: String) -> Case {
            Case(pattern: pattern, path: path, matches: false)
        }
    }

    static let literals: [Case] = [
        .yes("/stores", "/stores"), .yes("stores", "/stores"), .yes("/stores", "stores"),
        .no("/stores", "/stores/"),
        .no("/stores", "/store"), .no("/store", "/stores"), .no("/Stores", "/stores"), .yes("", ""),
        .yes("/", ""), .no("", "/x"),
        .yes("/stores", "/stores?x=1"), .yes("/stores", "/stores#f"), .yes("/stores?x=1", "/stores"),
        .no("/a.c", "/abc"),
        .no("/a[bc]", "/ab"), .no("/a?c", "/abc"),
    ]

    static let withinSegments: [Case] = [
        .yes("/users/*", "/users/7"), .no("/users/*", "/users/7/posts"), .no("/users/*", "/users"),
        .yes("/users/*", "/users/"),
        .yes("/*/posts", "/users/posts"), .no("/*/posts", "/a/b/posts"), .yes("/a*c", "/abbc"),
        .yes("/a*c", "/ac"), .no("/a*c", "/ab/c"),
        .yes("/*.json", "/x.json"), .no("/*.json", "/x/y.json"), .yes("*", ""), .yes("*", "/x"),
        .no("*", "/x/y"), .yes("/*/*", "/x/y"),
        .yes("/a*b*c", "/a-b-b-c"), .no("/a*b*c", "/a-c-b"), .yes("/users/*", "/users/a%2Fb"),
        .yes("/users/*", "/users/7?x=/y/z"),
    ]

    static let acrossSegments: [Case] = [
        .yes("**", ""), .yes("**", "/a/b/c"), .yes("/users/**", "/users/7/posts/1"),
        .no("/users/**", "/users"), .no("/users/**", "/usersx"),
        .yes("/**/posts", "/posts"), .yes("/**/posts", "/a/b/posts"), .no("/**/posts", "/xposts"),
        .no("/**/posts", "/a/xposts"),
        .yes("/a/**/b", "/a/b"), .yes("/a/**/b", "/a/x/b"), .yes("/a/**/b", "/a/x/y/b"),
        .no("/a/**/b", "/ab"), .no("/a/**/b", "/a/xb"),
        .yes("/a/**/**/b", "/a/b"), .yes("/**/**/b", "b"), .yes("/a/**/*/b", "/a/x/b"),
        .no("/a/**/*/b", "/a/b"), .yes("/a**b", "/a/x/b"),
        .yes("/**.json", "/x/y.json"), .yes("***", "/a/b"), .yes("/a/***", "/a/b/c"),
        .yes("/**/a/**/b/**", "/x/a/y/b/z"),
        .no("/**/a/**/b/**", "/x/a/y/z"), .yes("**/*", "/a/b/c"),
    ]

    @Test("A pattern matches the complete path, and ignores query and fragment", arguments: literals)
    func literal(_ example: Case) { check(example) }

    @Test("A * matches any text within a segment", arguments: withinSegments)
    func star(_ example: Case) { check(example) }

    @Test("A ** matches any text across segments, and /**/ also matches one slash", arguments: acrossSegments)
    func doubleStar(_ example: Case) { check(example) }

    static let escaped: [Case] = [
        .yes("/a b", "/a b"), .yes("/a b", "/a%20b"), .yes("/a%20b", "/a b"), .yes("/é", "/é"),
        .yes("/é/*", "/%C3%A9/x"),
        .no("/a/b", "/a%2Fb"), .yes("/*", "/日本"),
    ]

    @Test("Escapes in patterns and paths are compared in encoded form", arguments: escaped)
    func escapes(_ example: Case) {
        check(example)
        let name = "a b/é"
        #expect(WebService.configures("/users/a b%2F*", base: "http://h/é", path: "/users/\(name)"))
    }

    static let costly = [
        ("*a", 4), ("*a", 500), ("**a", 5), ("/**/a", 20), ("*", 100_000), ("**/", 2000), ("**/*", 2000),
    ]

    @Test("A pattern with many wildcards neither hangs nor crashes", arguments: costly)
    func cost(part: String, count: Int) {
        let pattern = URLPattern(String(repeating: part, count: count) + "b")
        let path = Request.Path(String(repeating: "a", count: 1000))
        #expect(!WebService.configures(pattern, base: "http://h", path: path))
    }

    private func check(_ example: Case) {
        for base in ["http://h", "http://h/", "http://h/v1", "http://h/v1/?k=1", "http://h:8080/é x/v2"] {
            let matches = WebService.configures(
                URLPattern(example.pattern), base: base, path: Request.Path(example.path))
            #expect(matches == example.matches, "base \(base)")
        }
    }
}
