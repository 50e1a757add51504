import Foundation
import SwallowJSON
import Testing

@Suite("JSON: strings of every length")
struct JSONStringTests {
    @Test("A string is what a literal is, equal and with the same hash", arguments: ["a", "é", "猫", "😀"])
    func lengths(_ character: String) throws {
        for length in 0...40 {
            for prefix in 0...length {
                let text =
                    String(repeating: "x", count: prefix)
                    + String(repeating: character, count: length - prefix)
                let json = try JSON(parsing: #"["\#(text)"]"#)
                let string = try #require(json[0].string)
                #expect(string == text && string.hashValue == text.hashValue)
                #expect(string.utf8.elementsEqual(text.utf8) && string.count == length)
                #expect(string + "!" == text + "!")
                #expect(try json.decode([String].self) == [text])
            }
        }
    }

    @Test(
        "An escape at every place",
        arguments: [#"\n"#, #"\""#, #"\\"#, #"\/"#, #"\u0041"#, #"\u00e9"#, #"\u732b"#, #"\ud83d\ude00"#])
    func escapes(_ escape: String) throws {
        for (before, after) in [("a", "b"), ("é", "z"), (escape, "猫"), ("", escape)] {
            for length in 0...20 {
                let text =
                    String(repeating: before, count: length) + escape
                    + String(repeating: after, count: 20 - length)
                let document = #"["\#(text)"]"#
                let expected = try JSONDecoder().decode([String].self, from: Data(document.utf8))
                let strings = try JSON(parsing: document).decode([String].self)
                #expect(strings == expected && strings.map(\.hashValue) == expected.map(\.hashValue))
                #expect(strings[0].utf8.elementsEqual(expected[0].utf8))
            }
        }
    }

    @Test("A long string with escapes, longer than what fits the stack")
    func longEscapes() throws {
        let text = String(repeating: #"line one\nline \u00e9 two\t"#, count: 5000)
        let expected = String(repeating: "line one\nline é two\t", count: 5000)
        #expect(try JSON(parsing: "\"\(text)\"").string == expected)
    }
}
