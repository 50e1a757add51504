import Foundation
import SwallowJSON
import Testing

@Suite("JSON: writing")
struct JSONWritingTests {
    @Test(
        "What is written reads back equal, in every style",
        arguments: [
            "null", "true", "false", "0", "-1.50e-7", #""""#, "[]", "{}", #"{"":""}"#,
            #"[[],{},[{}],{"a":[]}]"#,
            #"{"b":[1,2.0,{"c":null}],"a":"é€😀\u0000\u001f\"\\\/\b\f\n\r\t"}"#, #"{"a":1,"b":2,"a":3}"#,
            #"{"\"\n":"\u2028"}"#,
        ])
    func roundTrip(_ text: String) throws {
        let json = try JSON(parsing: text)
        #expect(try JSON(parsing: json.data) == json)
        #expect(try JSON(parsing: json.description) == json)
        #expect(try JSON(parsing: json.prettyPrinted) == json)
        #expect(try JSON(parsing: json.data(sortedKeys: true)) == json)
        #expect(json.data == Data(json.description.utf8))
        #expect(json.data(sortedKeys: false) == json.data)
    }

    @Test("Only quotes, backslashes and control characters are escaped")
    func escapes() {
        let controls = String(String.UnicodeScalarView((0..<0x20).compactMap(Unicode.Scalar.init)))
        #expect(
            JSON.string(controls).description
                == #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#
                + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f""#
        )
        #expect(JSON.string(#"a"b\c"#).description == #""a\"b\\c""#)
        #expect(JSON.string("/é\u{7F}\u{2028}😀\r\n").description == "\"/é\u{7F}\u{2028}😀\\r\\n\"")
        #expect((["\"": 1] as JSON).description == #"{"\"":1}"#)
    }

    @Test(
        "An escape reads as its character",
        arguments: [
            (#"\u0041"#, "A"), (#"\u00E9\u00e9"#, "éé"), (#"\u20ac"#, "€"), (#"\ud83d\ude00"#, "😀"),
            (#"\uD800\uDC00"#, "\u{10000}"),
            (#"\uDBFF\uDFFF"#, "\u{10FFFF}"), (#"a\nb\tc"#, "a\nb\tc"), (#"\/\\\""#, "/\\\""),
            (#"\u0000x"#, "\u{0}x"),
            (#"é\n€\u0041😀"#, "é\n€A😀"), (#"\\u0041"#, "\\u0041"),
        ])
    func unescapes(_ escaped: String, _ text: String) throws {
        #expect(try JSON(parsing: "\"\(escaped)\"").string == text)
        #expect(try JSON(parsing: "{\"\(escaped)\":1}")[text].int == 1)
    }

    @Test("prettyPrinted indents by two spaces and keeps the order")
    func pretty() {
        let json: JSON = ["b": [1, ["c": "d"]], "a": [], "e": [:]]
        #expect(
            json.prettyPrinted == """
                {
                  "b": [
                    1,
                    {
                      "c": "d"
                    }
                  ],
                  "a": [],
                  "e": {}
                }
                """)
    }

    @Test("Sorted names come out in order at every level, each once")
    func sorted() throws {
        let json = try JSON(parsing: #"{"b":{"z":1,"y":2},"é":0,"a":[{"d":1,"c":2}],"b":3}"#)
        #expect(
            String(decoding: json.data(sortedKeys: true), as: UTF8.self)
                == #"{"a":[{"c":2,"d":1}],"b":{"y":2,"z":1},"é":0}"#)
    }

    @Test(".missing by itself is written as null, and printed as what it is")
    func missing() {
        #expect(JSON.missing.description == "missing")
        #expect("\((["a": 1] as JSON)["b"])" == "missing")
        #expect(JSON.missing.data == Data("null".utf8))
    }
}
