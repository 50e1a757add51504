import Testing

@testable import Swallow

@Suite("A Link header")
struct LinkHeaderTests {
    @Test(
        "names its targets by relation",
        arguments: [
            (#"<a>; rel="next""#, ["next": "a"]),
            (#"<a>;rel=next , <b>; rel='prev'"#, ["next": "a", "'prev'": "b"]),
            (
                #"<a,b;c>; title="x, y; rel=\"last\" <z>"; rel="NEXT  last""#,
                ["next": "a,b;c", "last": "a,b;c"]
            ),
            (#"<a>; rel="next"; rel="prev""#, ["next": "a"]),
            (#"<a>; rel="next", <b>; rel="next""#, ["next": "a"]),
            (#"<a>; anchor="/x"; rel="next""#, [:]),
            (#"<a>; hreflang ; rel = next;"#, ["next": "a"]),
            (#", ,<a>; rel=next,"#, ["next": "a"]),
            (#"<?a<b,c>; rel=next"#, ["next": "?a<b,c"]), (#"<a>"#, [:]), ("", [:]),
            (#"<>; rel=next"#, ["next": ""]),
            (#"<é>; rel=next; title*=UTF-8''%c3%a9"#, ["next": "é"]),
        ] as [(String, [String: String])])
    func targets(field: String, expected: [String: String]) {
        #expect(LinkHeader(field).targets == expected)
        #expect(LinkHeader(field).malformed.isEmpty)
    }

    @Test(
        "is read as the examples of RFC 8288 and other parsers read it",
        arguments: [
            (#"<http://h/b/2>; rel="previous"; title="previous chapter""#, ["previous": "http://h/b/2"]),
            (#"</>; rel="http://example.net/foo""#, ["http://example.net/foo": "/"]),
            (##"</terms>; rel="copyright"; anchor="#foo""##, [:]),
            (
                "</b/2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel, "
                    + "</b/4>; rel=\"next\"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel",
                ["previous": "/b/2", "next": "/b/4"]
            ),
            (
                #"<http://h/>; rel="start http://example.net/relation/other""#,
                ["start": "http://h/", "http://example.net/relation/other": "http://h/"]
            ),
            (#"<example.com>; rel="#, [:]), (#"<example.com>; nopush"#, [:]), (#"</foo>; rev="bar""#, [:]),
            (#"<a>; rel="x"; title="of \"importance\"""#, ["x": "a"]),
            (#"<a>; rel= x; title = Some thing"#, ["x": "a"]),
            (#"</x>; rel=alternate; media=screen; media="ignored""#, ["alternate": "/x"]),
            (#"<a>; rel="x"; title="previous; chapter, two""#, ["x": "a"]),
            (#"<a>; rel="x,comma", <b>; rel="y;semicolon""#, ["x,comma": "a", "y;semicolon": "b"]),
            (#"<a>; rel="x; start""#, ["x;": "a", "start": "a"]),
            (
                #"<a>; rel="preconnect dns-prefetch", <b>; rel=preload"#,
                ["preconnect": "a", "dns-prefetch": "a", "preload": "b"]
            ),
        ] as [(String, [String: String])])
    func others(field: String, expected: [String: String]) {
        #expect(LinkHeader(field).targets == expected)
    }

    @Test(
        "has malformed links skipped, whichever side of a good one they are on",
        arguments: [
            "a", "<a", "<a> b", #"a; rel="x, y""#, #""http://h/"; rel=x"#, #"<a; rel="x""#, "; rel=x",
            "<a> rel=x",
        ])
    func malformed(field: String) {
        let good = "<b>; rel=next"
        for list in [field, "\(field), \(good)", "\(good), \(field)", "\(field), \(field), \(good)"] {
            let header = LinkHeader(list)
            #expect(header.targets == (list == field ? [:] : ["next": "b"]))
            #expect(!header.malformed.isEmpty)
            #expect(header.malformed.allSatisfy { field.contains($0.prefix(1)) })
        }
    }

    @Test(
        "is read as far as possible if only a parameter is malformed (RFC 8288 B.3, B.4)",
        arguments: [
            #"<a>; rel="next"#, "<a>; =x; rel=next", "<a>; rel=next prev", #"<a>; rel="next\"#,
            #"<a>; rel=next; x="#,
        ])
    func parameters(field: String) {
        #expect(LinkHeader(field).targets.values.first == "a")
        #expect(LinkHeader(field).malformed.isEmpty)
    }
}
