import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

@Suite("A media type")
struct MediaTypeTests {
    /// The tests of the MIME Sniffing Standard. Tests of parameters that the library doesn't read are left out.
    @Test(
        "A media type is parsed as the MIME Sniffing Standard specifies",
        arguments: [
            ("text/html;charset=gbk", "text/html", "gbk"), ("TEXT/HTML;CHARSET=GBK", "text/html", "GBK"),
            ("text/html;charset=gbk(", "text/html", "gbk("),
            ("text/html;x=(;charset=gbk", "text/html", "gbk"),
            ("text/html;charset=gbk;charset=windows-1255", "text/html", "gbk"),
            ("text/html;charset=();charset=GBK", "text/html", "()"),
            ("text/html;charset =gbk", "text/html", nil), ("text/html ;charset=gbk", "text/html", "gbk"),
            ("text/html; charset=gbk", "text/html", "gbk"), ("text/html;charset= gbk", "text/html", "gbk"),
            (#"text/html;charset= "gbk""#, "text/html", #""gbk""#),
            ("text/html;charset=\u{B}gbk", "text/html", nil),
            ("text/html;charset=\u{C}gbk", "text/html", nil),
            ("text/html;\u{B}charset=gbk", "text/html", nil),
            ("text/html;\u{C}charset=gbk", "text/html", nil),
            ("text/html;charset='gbk'", "text/html", "'gbk'"),
            ("text/html;charset='gbk", "text/html", "'gbk"),
            ("text/html;charset=gbk'", "text/html", "gbk'"),
            ("text/html;charset=';charset=GBK", "text/html", "'"),
            ("text/html;test;charset=gbk", "text/html", "gbk"),
            ("text/html;test=;charset=gbk", "text/html", "gbk"),
            ("text/html;';charset=gbk", "text/html", "gbk"),
            (#"text/html;";charset=gbk"#, "text/html", "gbk"),
            ("text/html ; ; charset=gbk", "text/html", "gbk"),
            ("text/html;;;;charset=gbk", "text/html", "gbk"),
            (#"text/html;charset= "\#u{7F};charset=GBK"#, "text/html", "GBK"),
            (#"text/html;charset="\#u{7F};charset=foo";charset=GBK"#, "text/html", "GBK"),
            (#"text/html;charset="gbk""#, "text/html", "gbk"),
            (#"text/html;charset="gbk"#, "text/html", "gbk"),
            (#"text/html;charset=gbk""#, "text/html", #"gbk""#),
            (#"text/html;charset=" gbk""#, "text/html", "gbk"),
            (#"text/html;charset="gbk ""#, "text/html", "gbk"),
            (#"text/html;charset="\ gbk""#, "text/html", "gbk"),
            (#"text/html;charset="\g\b\k""#, "text/html", "gbk"),
            (#"text/html;charset="gbk"x"#, "text/html", "gbk"),
            (#"text/html;charset="";charset=GBK"#, "text/html", ""),
            (#"text/html;charset=";charset=GBK"#, "text/html", ";charset=GBK"),
            ("text/html;charset={gbk}", "text/html", "{gbk}"),
            ("text/html;a]=bar;b[=bar;c=bar", "text/html", nil),
            (#"text/html;valid=";";foo=bar"#, "text/html", nil),
            (#"text/html;in]valid=";asd=foo";foo=bar"#, "text/html", nil), ("x/x;test", "x/x", nil),
            (#"x/x;test="\"#, "x/x", nil), ("x/x;x= ", "x/x", nil), ("x/x;x=\t", "x/x", nil),
            ("x/x\n\r\t ;x=x", "x/x", nil), ("\n\r\t x/x;x=x\n\r\t ", "x/x", nil),
            ("x/x;\n\r\t x=x\n\r\t ;x=y", "x/x", nil),
            ("text/html;test=ÿ;charset=gbk", "text/html", "gbk"), ("x/x;test=\u{FFFD};x=x", "x/x", nil),
        ] as [(String, String, String?)])
    func conformance(field: String, name: String, charset: String?) {
        let type = MediaType(field)
        #expect(type.name == name)
        #expect(type.charset == charset)
    }

    @Test(
        "An invalid media type in a list never hides a valid one",
        arguments: [
            "\u{B}x/x", "\u{C}x/x", "x/x\u{B}", "x/x\u{C}", "", "\t", "/", "bogus", "bogus/", "bogus/ ",
            "bogus/bogus/;", "</>", "(/)", "ÿ/ÿ", "text/html(;doesnot=matter", "{/}", "\u{100}/\u{100}",
            "text /html", "text/ html", #""text/html""#,
        ])
    func invalid(field: String) {
        for field in ["text/plain;charset=gbk, \(field)", "\(field), text/plain;charset=gbk"] {
            #expect(MediaType(field).name == "text/plain")
            #expect(MediaType(field).charset == "gbk")
        }
    }

    @Test("A media type consists of tokens, and its parameters are tokens or quoted strings")
    func characters() {
        for value in UInt8.min...UInt8.max {
            let character = String(Unicode.Scalar(value))
            let isToken = HTTPSyntax.isToken(character)
            let isSeparator = "/;,\" \t\r\n".contains(character)
            for field in ["\(character)/x;charset=a", "x/\(character);charset=a"] where !isSeparator {
                #expect((MediaType(field).charset == "a") == isToken, "\(value)")
            }
            let isLegal = value == 9 || value >= 0x20 && value != 0x7F
            if !";,\"".contains(character) {
                let charset = MediaType("x/x;charset=a\(character)b;charset=c").charset
                #expect(charset == (isLegal ? "a\(character)b" : "c"), "\(value)")
            }
            let charset = MediaType("x/x;charset=\"a\\\(character)b\";charset=c").charset
            #expect(charset == (isLegal ? "a\(character)b" : "c"), "\(value)")
        }
    }

    /// The tests of the Fetch Standard.
    @Test(
        "If Content-Type is sent several times, the last valid media type counts",
        arguments: [
            (["", "text/plain"], "text/plain", nil), (["text/plain", ""], "text/plain", nil),
            (["text/html", "text/plain"], "text/plain", nil),
            (["text/plain;charset=gbk", "text/html"], "text/html", nil),
            (["text/plain;charset=gbk", "text/html;charset=windows-1254"], "text/html", "windows-1254"),
            (["text/plain;charset=gbk", "text/plain"], "text/plain", "gbk"),
            (["text/plain;charset=gbk", "text/plain;charset=windows-1252"], "text/plain", "windows-1252"),
            (["text/html;charset=gbk", #"text/html;x=",text/plain"#], "text/html", "gbk"),
            (["text/html;charset=gbk", "text/plain", "text/html"], "text/html", nil),
            (["text/plain", "*/*"], "text/plain", nil), (["text/html", "*/*"], "text/html", nil),
            (["*/*", "text/html"], "text/html", nil),
            (["text/plain", "*/*;charset=gbk"], "text/plain", nil),
            (["text/html", "*/*;charset=gbk"], "text/html", nil),
            ([#"text/html;x=""#, "text/plain"], "text/html", nil),
            ([#"text/html;""#, "text/plain"], "text/html", nil),
        ] as [([String], String, String?)])
    func repeated(fields: [String], name: String, charset: String?) async throws {
        let type = MediaType(fields.joined(separator: ", "))
        #expect(type.name == name)
        #expect(type.charset == charset)
    }

    @Test("If Content-Type is sent twice, the last one decides about acceptance and parsing")
    func twice() async throws {
        let stub = StubDataSource()
        var headers = Headers()
        headers.append("text/html", for: .contentType)
        headers.append("application/json; charset=\"utf-8\"", for: .contentType)
        stub.stub(.GET, "/", .data(Data("[1]".utf8), contentType: nil, headers: headers))
        var service = WebService.test(stub)
        service.configure { $0.acceptableContentTypes = ["application/json"] }
        let task = service.GET("/")
        #expect(try await task.content(as: JSON.self)[0].int == 1)
    }
}
