import Foundation
import SwallowJSON
import Testing

/// Decoding a record reuses hints from the record before it. This must not change any result.
@Suite("JSON: decoding consecutive records")
struct JSONRecordsTests {
    private struct Record: Decodable {
        var id: Int
        var name: String
        var score: Double?
        var active: Bool?
        var tags: [String]?
    }

    // Each line is one document.
    // swift-format-ignore
    private static let texts = [
        #"[{"id":1,"name":"a","score":1,"active":true,"tags":[]},{"tags":["x"],"active":false,"score":2,"name":"b","id":2}]"#,
        #"[{"id":1,"name":"a"},{"name":"b","other":{"id":9},"id":2,"score":null},{"id":3,"name":"c","score":3,"tags":["id"]}]"#,
        #"[{"id":1,"id":2,"name":"a"},{"name":"b","id":3,"name":"c","id":4},{"x":0,"id":5,"name":"d","x":1,"id":6}]"#,
        #"[{"\u0069d":1,"n\u0061me":"a","id":7},{"id":2,"name":"b"},{"id":3,"\u006eame":"c","name":"d"}]"#,
        #"[{"id":1,"name":"a"},{"id":2},{"id":3,"name":"c"}]"#, #"[{"id":1,"name":"a"},{"id":"2","name":"b"}]"#,
        #"[{"id":1,"name":"a","tags":["x",1]},{"id":2,"name":"b"}]"#, #"[{"id":1,"name":"a"},[],{"id":2,"name":"b"}]"#,
        #"[{},{"id":1,"name":"a"}]"#, #"[{"id":1,"name":"a"},{}]"#, #"[{"name":"a","id":1,"active":0}]"#,
    ]

    @Test(
        "Reordered, missing, repeated, escaped and mistyped members decode or fail as in JSONDecoder",
        arguments: texts)
    func lists(_ text: String) {
        compare([Record].self, text)
        compare([String: Record].self, #"{"a":\#(text)}"#)
        compare([String: [Record]].self, #"{"a":\#(text),"b":\#(text)}"#)
        compare([Record?].self, text)
        compare([Attempt<Record>].self, text)
    }

    /// Catches a decoding failure, so that decoding continues with the next element.
    private struct Attempt<Value: Decodable>: Decodable {
        var value: Value?
        var error: String

        init(from decoder: any Decoder) throws {
            error = outcome { _ = try Value(from: decoder) }
            value = try? Value(from: decoder)
        }
    }

    private struct Names: Decodable {
        var one: Int?
        var other: Int?
        var third: Int?
        var last: Int?

        private enum CodingKeys: String, CodingKey {
            case one = "in_reply_to_status_id_string"
            case other = "in_reply_to_person_id_string"
            case third = "straße"
            case last = "caf\u{E9}"
        }
    }

    @Test("Similar names of the same length are distinguished, and canonically equivalent names match")
    func similarNames() throws {
        let names = [
            "in_reply_to_status_id_string", "in_reply_to_person_id_string", "straße", "strasse", "caf\u{E9}",
            "cafe\u{301}",
            "caf\\u00e9", "in_reply_to_statuS_id_string",
        ]
        for first in names {
            for second in names {
                // JSONDecoder uses one of two equivalent names, depending on the platform.
                let texts = [first, second].map { $0.replacing("\\u00e9", with: "\u{E9}") }
                if texts[0] == texts[1], !texts[0].utf8.elementsEqual(texts[1].utf8) { continue }
                let record = #"{"\#(first)":1,"\#(second)":2}"#
                compare([Names].self, "[\(record),{},\(record),\(record)]")
            }
        }
    }

    private struct Wide: Decodable {
        var sum = 0
        var path: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: MemberName.self)
            for number in decoder.userInfo.values.compactMap({ $0 as? [Int] }).joined() {
                let value = try container.decodeIfPresent(
                    Int.self, forKey: MemberName(stringValue: "member\(number)"))
                sum = sum &* 31 &+ (value ?? -number)
            }
            path = []
            do {
                _ = try container.decode(Bool.self, forKey: MemberName(stringValue: "member90"))
            } catch let DecodingError.typeMismatch(_, context) {
                path = context.codingPath.map(\.stringValue)
            }
        }
    }

    @Test("Objects with more members than the name filter has bits decode as in JSONDecoder")
    func wideRecords() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            let records = (0..<4).map { record in
                let members = (0..<100).shuffled(using: &random).filter { $0 == 90 || $0 % 7 != record }
                return "{"
                    + (members + members.prefix(5)).map { #""member\#($0)":\#($0 * record)"# }.joined(
                        separator: ",") + "}"
            }
            var options = JSON.DecodingOptions()
            options.userInfo = [
                CodingUserInfoKey(rawValue: "order")!: Array(-3..<110).shuffled(using: &random)
            ]
            compare([Wide].self, "[\(records.joined(separator: ","))]", options)
        }
    }

    private final class Chain: Decodable {
        var id: Int
        var next: Chain?
        var others: [Chain]?
    }

    @Test("A recursive type decodes at any depth as in JSONDecoder", arguments: [1, 31, 32, 33, 34, 40])
    func recursion(_ depth: Int) {
        let inner = #"{"others":[{"id":1},{"id":2,"next":{"id":3}}],"id":4}"#
        let text = (0..<depth).reduce(inner) { text, level in
            #"{"id":\#(level),"next":\#(text),"others":[{"id":5,"others":[]},{"id":6}]}"#
        }
        compare(Chain.self, text)
        compare(Chain.self, text.replacing(#""id":3}"#, with: #""id":"x"}"#))
        compare(Chain.self, text.replacing(#""id":6}"#, with: #""no":6}"#))
    }

    private struct Twice: Decodable {
        var values: [Int]

        private enum Keys: CodingKey { case a, b, c }

        init(from decoder: any Decoder) throws {
            let first = try decoder.container(keyedBy: Keys.self)
            let second = try decoder.container(keyedBy: Keys.self)
            let inner = try first.nestedContainer(keyedBy: Keys.self, forKey: .c)
            values = try [
                first.decode(Int.self, forKey: .b), second.decode(Int.self, forKey: .b),
                inner.decode(Int.self, forKey: .a), second.decode(Int.self, forKey: .a),
                first.nestedContainer(keyedBy: Keys.self, forKey: .c).decode(Int.self, forKey: .b),
                first.decode(Int.self, forKey: .a), inner.decode(Int.self, forKey: .b),
            ]
        }
    }

    @Test("Two containers of the same object can be read alternately")
    func twice() throws {
        let text = #"[{"a":1,"b":2,"c":{"a":3,"b":4}},{"c":{"b":5,"a":6},"b":7,"a":8}]"#
        let values = try JSON(parsing: text).decode([Twice].self).map(\.values)
        #expect(values == [[2, 2, 3, 1, 4, 1, 4], [7, 7, 6, 8, 5, 8, 5]])
        compare([Twice].self, text)
    }

    private struct Converted: Decodable {
        var firstName: String
        var lastName: String?
    }

    @Test("Names that a key strategy converts decode as in JSONDecoder", arguments: texts)
    func converted(_ text: String) {
        let text = text.replacing("name", with: "first_name").replacing("id", with: "last_name")
        var options = JSON.DecodingOptions()
        options.keyDecodingStrategy = .convertFromSnakeCase
        compare([Converted].self, text, options)
        compare([Attempt<Converted>].self, text, options)
    }
}
