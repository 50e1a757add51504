import Foundation
import SwallowJSON
import Testing

/// Documents in the manner of JSONTestSuite: what RFC 8259 allows, and what it doesn't.
@Suite("JSON: RFC 8259")
struct JSONConformanceTests {
    @Test("A legal document is accepted", arguments: legal)
    func accepts(_ text: String) throws {
        #expect(try JSON(parsing: text).exists)
    }

    @Test("An illegal document is refused", arguments: illegal)
    func refuses(_ text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: text) }
    }

    @Test("Well-formed UTF-8 is accepted", arguments: wellFormed)
    func acceptsUTF8(_ bytes: [UInt8]) throws {
        let json = try JSON(parsing: quoted(bytes))
        #expect(json.string.map { Array($0.utf8) } == bytes)
    }

    @Test("Malformed UTF-8 is refused, in values and in names", arguments: malformed)
    func refusesUTF8(_ bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSON(parsing: quoted(bytes)) }
        #expect(throws: JSONError.self) {
            try JSON(parsing: Data("{".utf8) + quoted(bytes) + Data(":1}".utf8))
        }
    }

    @Test("UTF-16 and UTF-32 are refused", arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf32])
    func refusesOtherEncodings(_ encoding: String.Encoding) throws {
        let data = try #require("[1]".data(using: encoding))
        #expect(throws: JSONError.self) { try JSON(parsing: data) }
    }

    @Test("A byte order mark in front is skipped, one elsewhere refused")
    func byteOrderMark() throws {
        #expect(try JSON(parsing: "\u{FEFF}[1]") == [1])
        #expect(throws: JSONError.self) { try JSON(parsing: "\u{FEFF}") }
        #expect(throws: JSONError.self) { try JSON(parsing: "\u{FEFF}\u{FEFF}1") }
        #expect(throws: JSONError.self) { try JSON(parsing: "[1]\u{FEFF}") }
        #expect(throws: JSONError.self) { try JSON(parsing: Data([0xEF, 0xBB])) }
    }

    @Test("A slice of Data is read from its own start to its own end")
    func slice() throws {
        let data = Data(#"xx{"a":[1,"é"]}yy"#.utf8)
        #expect(try JSON(parsing: data.dropFirst(2).dropLast(2)) == ["a": [1, "é"]])
        let error = #expect(throws: JSONError.self) { try JSON(parsing: data.dropFirst(2).dropLast(3)) }
        #expect(error?.offset == 13)
    }

    private func quoted(_ bytes: [UInt8]) -> Data {
        Data("\"".utf8) + Data(bytes) + Data("\"".utf8)
    }

    private static let legal = [
        "0", "-0", "1", "-1", "10", "123456789", "0.5", "-0.5", "1.0", "1e1", "1E1", "1e+1", "1e-1", "0e0",
        "0E+00",
        "1.5e10", "-1.5E-10", "123e65", "1e400", "-1e-400", "0.00000000000000000000000000001",
        "100000000000000000000000000000000000000000", "1e99999999999999999999999", "[-0]", "[1e007]",
        "true", "false", "null", "[true,false,null]", " true", "true ", "\n\r\t null \t\r\n",
        #""""#, #""a""#, #"" ""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u0022""#, #""\u00e9\u00E9""#,
        #""\ud83d\ude00""#,
        #""\uDBFF\uDFFF""#, #""\uFFFF""#, #""\uFDD0""#, #""\\u000""#, #""é€😀""#, "\"\u{7F}\"",
        "\"\u{2028}\u{2029}\"",
        #""'""#, #""/""#, #""a/*b*/c//d""#, #""[1,""#, "\"\u{FEFF}\"", #""\uD7FF\uE000""#,
        "[]", "[ ]", "[[]]", "[[],[[]]]", "[1]", "[1,2]", "[ 1 , 2 ]", "[\n1\n,\n2\n]", "[\"\"]",
        "[null,1,\"1\",{}]",
        "[1,null,null,null,2]", " [] ", "[\"a\",\"b\"]", "[{}]", "[[[[[[1]]]]]]",
        "{}", "{ }", #"{"a":1}"#, #"{"":1}"#, #"{"a":{}}"#, #"{"a":[]}"#, #"{"a":1,"b":2}"#,
        #"{ "a" : 1 , "b" : 2 }"#,
        #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"\u0000":0}"#, "{\n\"a\"\n:\n1\n}", #"{"é":"😀"}"#,
        #"{"a":{"b":{"c":1}}}"#,
    ]

    private static let illegal = [
        "", " ", "\n", "nul", "tru", "fals", "nulll", "True", "NULL", "undefined", "NaN", "Infinity",
        "-Infinity",
        "'a'", "a", "truefalse", "true false", "1 2", "[][]", "{}{}", "[]x", "1,", ",", ":", "]", "}", "\"",
        "\\", "//", "/**/1",
        "[1]//", "#", "\u{B}1", "\u{C}1", "\u{A0}1", "1\u{0}", "\u{0}", "é", "[\u{2060}1]",
        "-", "+1", "01", "-01", "00", "1.", ".5", "-.5", "1.e1", "1e", "1e+", "1E-", "1e1.5", "1e1e1",
        "1.2.3", "--1", "-a",
        "0x10", "1_000", "1a", "0b1", "1 000", "[-]", "[1.]", "[1e]", "１", "1+1", "[0 1]", "-NaN", "1f",
        "\"a", "\"\\", "\"\\\"", #""\x41""#, #""\a""#, #""\'""#, #""\0""#, #""\u""#, #""\u1""#, #""\u12""#,
        #""\u123""#, #""\u123g""#,
        #""\U0041""#, #""\u{41}""#, #""\u 041""#, #""\u+041""#, #""\ud800""#, #""\udc00""#, #""\ud800a""#,
        #""\ud800\n""#,
        #""\ud800\ud800""#, #""\ud800\u0041""#, #""\udc00\ud800""#, #""\ud83d\ude0""#, #""\u００４１""#,
        "\"\n\"", "\"\t\"", "\"\r\"", "\"\u{0}\"", "\"\u{1F}\"", "\"a\"b", "\"\\\n\"",
        "[", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]", "[1;2]", "[1}", "[\"a\"", "[\"a", "[[]",
        "[]]", "[1:2]", "[\"\":1]",
        "[a]", "[*]", "(1)", "<1>", "[[", "[{", "[{]}",
        "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{,\"a\":1}",
        "{\"a\":1,,\"b\":2}", "{a:1}", "{'a':1}",
        "{1:1}", "{null:1}", "{\"a\" 1}", "{\"a\",1}", "{\"a\"::1}", "{\"a\":1 \"b\":2}", "{\"a\":1]",
        "{\"a\"}", "{:1}", "{[]:1}",
        "{\"a\":}", "{\"a\":1}}", "{\"a\":1;}", "{\"a\":1}#", "{\"a\n\":1}", "{\"a\":1 \"", "{\"\\ud800\":1}",
    ]

    private static let wellFormed: [[UInt8]] = [
        [0x20], [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xE2, 0x82, 0xAC],
        [0xED, 0x9F, 0xBF],
        [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80], [0xF1, 0x80, 0x80, 0x80],
        [0xF3, 0xBF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF],
    ]

    private static let malformed: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC0, 0xAF], [0xC2], [0xC2, 0x20], [0xC2, 0xC2],
        [0xE0, 0x80, 0x80],
        [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xED, 0xA0, 0x80],
        [0xED, 0xBF, 0xBF],
        [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
        [0xF0, 0x9F, 0x98],
        [0xF0, 0x9F, 0x28, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
        [0xF8, 0x88, 0x80, 0x80, 0x80],
        [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0x61, 0xE9, 0x62],
    ]
}
