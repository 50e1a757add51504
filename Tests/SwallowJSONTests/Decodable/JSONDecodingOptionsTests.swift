import Foundation
import SwallowJSON
import Testing

@Suite("JSON: decoding options")
struct JSONDecodingOptionsTests {
    @Test("Date strategies read as JSONDecoder's", arguments: Samples.scalars)
    func dates(_ text: String) {
        let custom = JSONDecoder.DateDecodingStrategy.custom { decoder in
            guard decoder.codingPath.last?.stringValue == "value" else { throw CancellationError() }
            return Date(timeIntervalSince1970: try decoder.singleValueContainer().decode(Double.self) * 60)
        }
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy"
        let all: [JSONDecoder.DateDecodingStrategy] = [
            .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601, custom,
            .formatted(formatter),
        ]
        for strategy in all {
            var options = JSON.DecodingOptions()
            options.dateDecodingStrategy = strategy
            compare(Box<Date>.self, #"{"value":\#(text)}"#, options)
            compare(Date?.self, text, options)
            compare([Date].self, "[\(text)]", options)
        }
    }

    @Test("Data strategies read as JSONDecoder's", arguments: Samples.scalars)
    func data(_ text: String) {
        let all: [JSONDecoder.DataDecodingStrategy] = [
            .base64, .custom { _ in throw CancellationError() }, .deferredToData,
            .custom { Data(try $0.singleValueContainer().decode(String.self).utf8) },
        ]
        for strategy in all {
            var options = JSON.DecodingOptions()
            options.dataDecodingStrategy = strategy
            compare(OptionalBox<Data>.self, #"{"value":\#(text)}"#, options)
            compare(Data.self, text, options)
        }
    }

    @Test(
        "Strings stand for infinity and NaN where asked for",
        arguments: Samples.scalars + [#""inf""#, #""-inf""#]
    )
    func floats(_ text: String) {
        var options = JSON.DecodingOptions()
        options.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "x")
        compare(Box<Double>.self, #"{"value":\#(text)}"#, options)
        compare([Float].self, "[\(text)]", options)
        compare([Double].self, "[\(text)]", options)
    }

    private struct Snake: Decodable {
        var oneTwo: Int
        var _threeFour_: Int?
        var userID: [Snake]?
        var byName: [String: Int]?
        var byNumber: [Int: Int]?
        var url: URL?
    }

    @Test(
        "Key strategies read as JSONDecoder's",
        arguments: [
            #"{"one_two":1}"#, #"{"oneTwo":1}"#, #"{"one__two":1}"#, #"{"ONE_TWO":1}"#,
            #"{"one_two":1,"oneTwo":2}"#,
            #"{"oneTwo":2,"one_two":1}"#, #"{"one_two":1,"_three_four_":3}"#, #"{"one_two":"x"}"#,
            #"{"one_two":1,"by_name":{"a_b":1,"c_d":"x"}}"#, #"{"one_two":1,"by_number":{"1":1}}"#,
            #"{"one_two":1,"user_i_d":[{"one_two":2},{"one_two":null}]}"#, #"{"one_two":1,"user_id":[{}]}"#,
            #"{"_":1,"__":2,"":3}"#, #"{"one_two":1,"url":7}"#, "{}", "[]",
        ])
    func keys(_ text: String) {
        let custom = JSONDecoder.KeyDecodingStrategy.custom { path in
            let name = path.last?.stringValue ?? ""
            return Name(stringValue: name.replacingOccurrences(of: "one_two", with: "oneTwo"))
        }
        for strategy in [JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase, custom, .useDefaultKeys] {
            var options = JSON.DecodingOptions()
            options.keyDecodingStrategy = strategy
            compare(Snake.self, text, options)
            compare(Box<Snake>.self, #"{"value":\#(text)}"#, options)
            compare([String: Int].self, text, options)
        }
    }

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Informed: Decodable {
        var note: String?
        init(from decoder: any Decoder) throws {
            note = CodingUserInfoKey(rawValue: "note").flatMap { decoder.userInfo[$0] } as? String
        }
    }

    @Test("userInfo reaches every type")
    func userInfo() throws {
        var options = JSON.DecodingOptions()
        options.userInfo = [try #require(CodingUserInfoKey(rawValue: "note")): "hello"]
        let json: JSON = ["value": [[:]]]
        #expect(try json.decode(Box<[Informed]>.self, options: options).value[0].note == "hello")
        compare([Informed].self, "[{},1]", options)
    }

    @Test("A part of a document has its own root, and a JSON inside a type keeps its place")
    func parts() throws {
        let json = try JSON(parsing: #"{"a":[{"value":"x"},{"value":{"b":[1.0]}}]}"#)
        let error = #expect(throws: DecodingError.self) { try json["a"].decode([Box<Int>].self) }
        guard case .typeMismatch(_, let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["Index 0", "value"])
        #expect(context.codingPath[0].intValue == 0)
        #expect(try json["a"][1].decode(Box<JSON>.self).value["b"][0].description == "1.0")
        #expect(try JSON.missing.decode(JSON.self) == .missing)
    }
}
