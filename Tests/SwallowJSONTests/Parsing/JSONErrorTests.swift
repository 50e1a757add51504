import Foundation
import SwallowJSON
import Testing

@Suite("JSON: errors")
struct JSONErrorTests {
    @Test(
        "An error says where the fault is",
        arguments: [
            ("", 0, 1, 1), ("  ", 2, 1, 3), ("[1,]", 3, 1, 4), ("[1,\n 2,\n x]", 9, 3, 2),
            ("{\"a\":1,}", 7, 1, 8),
            ("[01]", 2, 1, 3), ("[1.]", 3, 1, 4), ("[trux]", 1, 1, 2), ("[1] 2", 4, 1, 5),
            ("\r\n\r\n]", 4, 3, 1),
            ("{\"é\":x}", 6, 1, 7), ("\"a\nb\"", 2, 1, 3), (#"["\ud800"]"#, 2, 1, 3), (#"["\q"]"#, 2, 1, 3),
            (#"["\u12x4"]"#, 6, 1, 7), ("{a:1}", 1, 1, 2), ("{\"a\" 1}", 5, 1, 6), ("[1}", 2, 1, 3),
            (#"["\ud83dx"]"#, 2, 1, 3),
        ])
    func place(_ text: String, offset: Int, line: Int, column: Int) throws {
        let error = try failure(Data(text.utf8))
        #expect(error.offset == offset)
        #expect(error.line == line)
        #expect(error.column == column)
    }

    @Test("A document cut off anywhere fails at its end, with nothing found there")
    func truncated() throws {
        let whole = Data(#"{"a":[1,-2.5e+3,true,false,null],"é€😀":"\"\u00e9\ud83d\ude00","b":{}}"#.utf8)
        _ = try JSON(parsing: whole)
        for length in 0..<whole.count {
            let error = try failure(whole.prefix(length))
            #expect(error.offset == length, "\(error)")
            #expect(error.excerpt.isEmpty)
        }
    }

    @Test(
        "An error says what was expected",
        arguments: [
            ("[1 2]", "',' or ']'"), (#"{"a":1 2}"#, "',' or '}'"), (#"{"a" 1}"#, "':'"),
            ("[]x", "the end of the document"),
            ("[nulL]", "'null'"), ("-x", "a digit"), ("01", "no digit after a leading zero"),
            ("[,", "a value"),
            ("{a", "a member's name in double quotes"), ("\"", "the string's closing quote"),
            (#""\u12""#, "four hex digits"), (#""\udc00x""#, "both halves of a surrogate pair"),
        ])
    func expected(_ text: String, expected: String) throws {
        #expect(try failure(Data(text.utf8)).expected == expected)
    }

    @Test("An error reads as a sentence with the text it found")
    func description() throws {
        #expect(
            try failure(Data("{\n  \"a\": tru }".utf8)).description
                == #"line 2, column 8 (byte 9): expected 'true', found "tru }""#)
        #expect(
            try failure(Data("[1".utf8)).description
                == "line 1, column 3 (byte 2): expected ',' or ']', found the end of the document")
    }

    @Test("An excerpt is short and cuts no character in two")
    func excerpt() throws {
        let text = "x" + String(repeating: "😀", count: 100)
        #expect(try failure(Data(text.utf8)).excerpt == "x" + String(repeating: "😀", count: 6))
        #expect(try failure(Data(repeating: 0x80, count: 100)).excerpt.count < 30)
    }

    @Test("An error at malformed UTF-8 points at the character's first byte")
    func malformedUTF8() throws {
        #expect(try failure(Data([0x22, 0x61, 0xE2, 0x82, 0x22])).offset == 2)
    }

    private func failure(_ data: Data) throws -> JSONError {
        try #require(throws: JSONError.self) { try JSON(parsing: data) }
    }
}
