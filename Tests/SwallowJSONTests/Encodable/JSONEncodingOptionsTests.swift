import Foundation
import Testing

@testable import SwallowJSON

@Suite("JSON: encoding options")
struct JSONEncodingOptionsTests {
    private struct Model: Encodable {
        var someName = "a/b \"c\" \u{1}é"
        var emptyList: [Int] = []
        var emptyObject: [String: Int] = [:]
        var nothingAtAll = Nothing()
        var lists = [[], [1, 2], [-3]]
        var byName = ["keepMe": 1.5, "Keep10": 2, "Keep9": 3, "é": 4, "e\u{301}a": 5, "": 6, "a/b": 7]
        var innerURL = Inner()
        var inners = [Inner(), Inner(oneTwo: 3, next: ["x": Inner()])]
        var missing: String?

        struct Nothing: Encodable {}
    }

    private struct Inner: Encodable {
        var oneTwo = 1
        var next: [String: Inner]? = nil

        enum CodingKeys: CodingKey { case oneTwo, next }
    }

    private static let formattings: [JSONEncoder.OutputFormatting] = [
        .sortedKeys, [.sortedKeys, .prettyPrinted], [.sortedKeys, .withoutEscapingSlashes],
        [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes],
    ]

    private static let strategies: [JSONEncoder.KeyEncodingStrategy] = [
        .useDefaultKeys, .convertToSnakeCase,
        .custom { path in JSONKey(stringValue: "\(path.last?.stringValue ?? "")!") },
    ]

    /// The text of both encoders, or the error of `JSONEncoder`.
    private func expectSame(
        _ value: some Encodable, _ options: JSON.EncodingOptions,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let expected = Result { String(decoding: try options.encoder.encode(value), as: UTF8.self) }
        let text = Result { String(decoding: try options.data(of: value), as: UTF8.self) }
        switch (text, expected) {
        case (.success(let text), .success(let expected)):
            #expect(text == expected, sourceLocation: location)
        case (.failure(let error), .failure(let expected)):
            #expect("\(error)" == "\(expected)", sourceLocation: location)
        default: Issue.record("\(text), not \(expected)", sourceLocation: location)
        }
    }

    private func options(
        _ formatting: JSONEncoder.OutputFormatting, _ strategy: JSONEncoder.KeyEncodingStrategy
    ) -> JSON.EncodingOptions {
        var options = JSON.EncodingOptions()
        options.outputFormatting = formatting
        options.keyEncodingStrategy = strategy
        return options
    }

    @Test("Sorted, indented and converted names are JSONEncoder's text, without JSONEncoder")
    func text() {
        for formatting in Self.formattings {
            for strategy in Self.strategies {
                let options = options(formatting, strategy)
                expectSame(Model(), options)
                expectSame([Model(), Model()], options)
                expectSame([String: Model](), options)
                expectSame("a/b", options)
                expectSame([1.5], options)
                #expect(JSONEncodingSession.data(of: [Model()], options) != nil)
            }
        }
    }

    @Test("Indented text that isn't sorted has JSONEncoder's members and length")
    func indented() throws {
        let options = options(.prettyPrinted, .useDefaultKeys)
        let (data, expected) = try (options.data(of: Model()), options.encoder.encode(Model()))
        #expect(data.count == expected.count)
        #expect(try JSON(parsing: data) == JSON(parsing: expected))
    }

    @Test("Whatever a type does, the text is JSONEncoder's, by all options", arguments: 0..<20)
    func anything(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        for index in 0..<60 {
            let value = Anyhow.random(&random)
            expectSame(value, options(Self.formattings[index % 4], Self.strategies[index % 2]))
        }
    }

    private struct Named: Encodable {
        var name: String

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: JSONKey.self)
            try container.encode(1, forKey: JSONKey(stringValue: name))
        }
    }

    @Test("Names in snake case are JSONEncoder's")
    func snakeCase() {
        let names = [
            "", "_", "__", "a", "A", "oneTwo", "OneTwo", "myURLProperty", "URL", "aURL", "urlA", "_oneTwo_",
            "one_Two", "aB1C", "a1bC", "aBCd1EF2g", "éÉaÀ", "ǅabc", "日本Go", "one.Two", "ONE_TWOthree",
        ]
        var random = SeededRandom(seed: 5)
        let letters = Array("abcXYZ_1")
        let others = (0..<500).map { _ in
            String((0..<random.below(12)).map { _ in letters[random.below(letters.count)] })
        }
        for name in names + others {
            expectSame(Named(name: name), options(.sortedKeys, .convertToSnakeCase))
        }
    }

    private struct Keyed: Encodable {
        var dictionary = ["keepMe"]
        var hasList = true

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: JSONKey.self)
            var inner = container.nestedContainer(
                keyedBy: JSONKey.self, forKey: JSONKey(stringValue: "innerOne"))
            try inner.encode(
                Dictionary(dictionary.map { ($0, Inner()) }) { $1 }, forKey: JSONKey(stringValue: "byName"))
            try Inner().encode(to: container.superEncoder())
            try Inner().encode(to: container.superEncoder(forKey: JSONKey(stringValue: "superOne")))
            guard hasList else { return }
            var list = container.nestedUnkeyedContainer(forKey: JSONKey(stringValue: "listOne"))
            try list.encode(Inner())
            try list.encode(["keepMe": 1])
            try Inner().encode(to: list.superEncoder())
        }
    }

    @Test("Nested containers and superclass encoders convert their names as JSONEncoder does")
    func nested() {
        for strategy in Self.strategies {
            expectSame(Keyed(), options(.sortedKeys, strategy))
            expectSame(["a": [Keyed()]], options(.sortedKeys, strategy))
        }
    }

    @Test("A custom strategy receives the path of keys and their types")
    func path() {
        let strategy = JSONEncoder.KeyEncodingStrategy.custom { path in
            // JSONEncoder leaves out the keys of dictionaries and of nested unkeyed containers.
            let keys = path.map { key in
                key is Inner.CodingKeys
                    ? "inner \(key.stringValue)" : "\(key.stringValue) \(key.intValue ?? -1)"
            }
            return JSONKey(stringValue: keys.joined(separator: "/"))
        }
        expectSame([[Inner()], [Inner(), Inner()]], options(.sortedKeys, strategy))
        let value = Keyed(dictionary: [], hasList: false)
        expectSame(value, options(.sortedKeys, strategy))
        expectSame([value], options(.sortedKeys, strategy))
    }

    @Test("Two keys with the same converted name: the last value counts, as in JSONEncoder")
    func sameNames() {
        struct Value: Encodable {
            var oneTwo = 1
            var one_two = 2
        }
        expectSame(Value(), options(.sortedKeys, .convertToSnakeCase))
    }

    @Test("A model that is nested deeper than a document may be is written")
    func depth() {
        final class Chain: Encodable {
            let next: Chain?
            init(_ next: Chain?) { self.next = next }
        }
        let chain = (0..<600).reduce(Chain(nil)) { chain, _ in Chain(chain) }
        expectSame(chain, options(.sortedKeys, .useDefaultKeys))
    }
}

@Suite("JSON: a JSON in a model that is encoded")
struct JSONInModelTests {
    private struct Model: Encodable {
        var someName: JSON = ["keepMe": [["andMe": 1.0, "a/b": "é/"]], "AlsoMe": 2]
    }

    /// Makes `JSONEncoder` write the document.
    private struct PathReader: Encodable {
        var someName = Model().someName

        enum CodingKeys: CodingKey { case someName }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            #expect(encoder.codingPath.isEmpty)
            try container.encode(someName, forKey: .someName)
        }
    }

    private var snakeCase: JSON.EncodingOptions {
        var options = JSON.EncodingOptions()
        options.keyEncodingStrategy = .convertToSnakeCase
        return options
    }

    @Test(".convertToSnakeCase keeps the names of its members")
    func names() throws {
        let expected = Data(#"{"some_name":{"keepMe":[{"andMe":1.0,"a/b":"é/"}],"AlsoMe":2}}"#.utf8)
        #expect(try snakeCase.data(of: Model()) == expected)
        let encoding = Encoding<Model>.codable { $0.keyEncodingStrategy = .convertToSnakeCase }
        #expect(try encoding.data(of: Model()) == expected)
    }

    @Test(".convertToSnakeCase keeps its names if JSONEncoder writes the document")
    func namesOfFoundation() throws {
        let expected = try JSON(parsing: snakeCase.data(of: Model()))
        #expect(try JSON(parsing: snakeCase.data(of: PathReader())) == expected)
        #expect(try JSON(parsing: snakeCase.encoder.encode(Model())) == expected)
    }

    @Test("Sorting and indenting apply to it, and keep its spelling")
    func formatting() throws {
        var options = snakeCase
        options.outputFormatting = .sortedKeys
        let sorted = #"{"some_name":{"AlsoMe":2,"keepMe":[{"a/b":"é/","andMe":1.0}]}}"#
        #expect(try options.data(of: Model()) == Data(sorted.utf8))
    }
}
