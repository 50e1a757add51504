import Foundation
import Testing

@testable import SwallowJSON

/// Returns the text that `encode` writes, or the error's kind and path.
private func outcome(_ value: some Encodable, _ options: JSON.EncodingOptions = .init()) -> String {
    written { try options.data(of: value) }
}

private func foundationOutcome(_ value: some Encodable, _ options: JSON.EncodingOptions = .init()) -> String {
    written { try options.encoder.encode(value) }
}

/// Members may have any order. So the result has the value with sorted members, and the sorted bytes for the spelling.
private func written(_ encode: () throws -> Data) -> String {
    do {
        let data = try encode()
        let spelling = String(decoding: data.sorted(), as: UTF8.self)
        return try
            "\(JSON(parsing: data).data(sortedKeys: true).count) \(sorted(JSON(parsing: data))) \(spelling)"
    } catch let EncodingError.invalidValue(value, context) {
        let path = context.codingPath.map { "\(type(of: $0)).\($0.stringValue)" }
        return "invalid \(value) at \(path): \(context.debugDescription)"
    } catch {
        return "\(error)"
    }
}

private func sorted(_ json: JSON) -> String {
    String(decoding: json.data(sortedKeys: true), as: UTF8.self)
}

private func isDirect(_ value: some Encodable, _ options: JSON.EncodingOptions = .init()) -> Bool {
    JSONEncodingSession.data(of: value, options) != nil
}

/// A generator that returns the same numbers for the same seed.
struct SeededRandom {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ (state >> 32)) &* 0x9E37_79B9_7F4A_7C15
    }

    mutating func below(_ limit: Int) -> Int { Int((next() >> 33) % UInt64(limit)) }
}

@Suite("JSON: Encodable written directly")
struct JSONEncodingTests {
    private struct Store: Encodable {
        var id = -7
        var name = "Café \"Zum Löwen\"\n/\u{1}\u{1F600}"
        var isOpen = true
        var rating: Double? = 4.5
        var closes: Date? = Date(timeIntervalSince1970: 1_700_000_000.75)
        var nothing: Int?
        var picture = Data([0, 255, 7])
        var site = URL(string: "https://example.com/a?b=/c")
        var price = Decimal(string: "12345678901234567890.12")
        var tags = ["food", "open late"]
        var sizes: [Int?] = [1, nil, 3]
        var inner: [String: [Inner]] = ["a": [Inner()], "é/": []]
        var byNumber = [7: "x"]
        var kind = Kind.corner
        var shape = Shape.circle(radius: 2.5, name: nil)
        var uuid = UUID(uuidString: "0B0C2D3E-0000-4000-8000-0123456789AB")
        var small: (UInt8, Int16) = (255, -32768)

        struct Inner: Encodable {
            var ratio: Float = 0.1
            var empty = Empty()
            var most = UInt64.max
            var least = Int64.min
        }
        struct Empty: Encodable {}
        enum Kind: String, Encodable { case corner }
        enum Shape: Encodable { case circle(radius: Double, name: String?) }
        enum CodingKeys: CodingKey {
            case id, name, isOpen, rating, closes, nothing, picture, site, price, tags, sizes, inner,
                byNumber, kind
            case shape, uuid
        }
    }

    @Test("A value of all common types is written directly, as in JSONEncoder")
    func allTypes() {
        #expect(isDirect(Store()))
        #expect(outcome(Store()) == foundationOutcome(Store()))
        #expect(isDirect([Store(), Store()]))
        #expect(outcome(["a": [Store(), nil]]) == foundationOutcome(["a": [Store(), nil]]))
    }

    @Test("Slashes are escaped unless .withoutEscapingSlashes is set")
    func slashes() throws {
        var options = JSON.EncodingOptions()
        #expect(try options.data(of: ["/"]) == Data(#"["\/"]"#.utf8))
        options.outputFormatting = .withoutEscapingSlashes
        #expect(try options.data(of: ["/"]) == Data(#"["/"]"#.utf8))
        #expect(isDirect(["/"], options))
    }

    @Test(
        "Scalars can be documents",
        arguments: ["", "a", "aaaaaaa/", "aaaaaaaa", "aaaaaaaaa\"", "\\\\\\\\\\\\\\\\", "日本語"])
    func scalars(_ text: String) {
        #expect(isDirect(text))
        #expect(outcome(text) == foundationOutcome(text))
        #expect(outcome(String?.none) == foundationOutcome(String?.none))
        #expect(outcome(true) == foundationOutcome(true))
    }

    @Test("Every character is written as in JSONEncoder, at every place in a word")
    func characters() throws {
        let scalars = (0...0x2FF).compactMap { Unicode.Scalar($0) } + ["\u{2028}", "\u{FFFF}", "\u{10FFFF}"]
        for scalar in scalars {
            for length in 0..<9 {
                let text = String(repeating: "x", count: length) + String(Character(scalar)) + "yz"
                #expect(isDirect(text))
                #expect(try JSON.EncodingOptions().data(of: text) == JSONEncoder().encode(text))
            }
        }
    }

    @Test("Numbers are written as in JSONEncoder")
    func numbers() throws {
        var doubles: [Double] = [
            0, -0.0, 1, -1, 0.1, 1e15, 1e16, 1e17, 0x1p53, 0x1p53 - 1, -0x1p53, 0x1p54, 1e300,
            .leastNonzeroMagnitude, .pi,
            .greatestFiniteMagnitude, 123_456_789.5, 1e-5, 0.0001,
        ]
        var random = SeededRandom(seed: 7)
        for _ in 0..<5000 { doubles.append(Double(bitPattern: random.next())) }
        for _ in 0..<500 { doubles.append(Double(random.next() >> (random.next() & 63))) }
        for double in doubles where double.isFinite {
            #expect(try JSON.EncodingOptions().data(of: double) == JSONEncoder().encode(double))
            let float = Float(double)
            guard float.isFinite else { continue }
            #expect(try JSON.EncodingOptions().data(of: float) == JSONEncoder().encode(float))
        }
        var integers: [Int64] = [0, 9, 10, 99, 100, .min, .max]
        for _ in 0..<500 { integers.append(Int64(bitPattern: random.next()) >> Int64(random.next() & 63)) }
        for integer in integers {
            let unsigned = UInt64(bitPattern: integer)
            #expect(try JSON.EncodingOptions().data(of: integer) == Data("\(integer)".utf8))
            #expect(try JSON.EncodingOptions().data(of: unsigned) == Data("\(unsigned)".utf8))
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test("Int128 and UInt128 are written directly")
    func wideIntegers() {
        let values: [String: [Int128]] = ["a": [.min, .max, 0]]
        #expect(isDirect(values))
        #expect(outcome(values) == foundationOutcome(values))
        #expect(outcome([UInt128.max]) == foundationOutcome([UInt128.max]))
    }

    @Test("Dates of all years are written as in JSONEncoder, with every strategy")
    func dates() {
        var options = JSON.EncodingOptions()
        var random = SeededRandom(seed: 3)
        var seconds: [Double] = [
            0, -0.5, 0.999999, 951_782_399, 951_782_400, 4_107_542_399, 4_107_542_400, -11_676_096_000,
            -11_676_096_001,
            -11_670_998_400, 253_402_300_799, 253_402_300_800, -62_135_596_800, -62_135_596_801, 1e12,
        ]
        for _ in 0..<3000 { seconds.append(Double(random.next() % 320_000_000_000) / 1.0 - 60_000_000_000) }
        for second in seconds {
            let date = Date(timeIntervalSince1970: second)
            #expect(outcome(date, options) == foundationOutcome(date, options))
        }
        let dates = seconds.prefix(20).map { Date(timeIntervalSince1970: $0) }
        for strategy in [
            JSONEncoder.DateEncodingStrategy.deferredToDate, .secondsSince1970, .millisecondsSince1970,
        ] {
            options.dateEncodingStrategy = strategy
            #expect(isDirect(dates, options))
            #expect(outcome(dates, options) == foundationOutcome(dates, options))
        }
        options.dateEncodingStrategy = .custom { date, encoder in
            try "\(date.timeIntervalSince1970)".encode(to: encoder)
        }
        #expect(isDirect(dates, options))
        #expect(outcome(dates, options) == foundationOutcome(dates, options))
        options.dateEncodingStrategy = .custom { _, _ in }
        #expect(outcome(dates, options) == foundationOutcome(dates, options))
    }

    @Test("Data is written as in JSONEncoder, with every strategy")
    func data() {
        var options = JSON.EncodingOptions()
        let data = ["a": [Data(), Data([1, 2, 3, 250])]]
        options.dataEncodingStrategy = .deferredToData
        #expect(isDirect(data, options))
        #expect(outcome(data, options) == foundationOutcome(data, options))
        options.dataEncodingStrategy = .custom { data, encoder in try data.count.encode(to: encoder) }
        #expect(isDirect(data, options))
        #expect(outcome(data, options) == foundationOutcome(data, options))
    }

    @Test("A JSON value keeps its order and spelling, and an invalid one fails as in JSONEncoder")
    func json() throws {
        let json = try JSON(parsing: #"{"b":1.0,"a":[1e400,"\u0041/"]}"#)
        #expect(
            try JSON.EncodingOptions().data(of: ["x": json])
                == Data(#"{"x":{"b":1.0,"a":[1e400,"A/"]}}"#.utf8))
        #expect(try JSON.EncodingOptions().data(of: [JSON.missing, nil]) == Data("[null,null]".utf8))
        let fault = ["x": [JSON.number(Double.nan)]]
        #expect(outcome(fault) == foundationOutcome(fault))
    }

    @Test("Infinity is written as a string if an option names it")
    func infinity() {
        var options = JSON.EncodingOptions()
        options.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "∞", negativeInfinity: "-∞", nan: "NaN")
        let value = ["a": [Double.infinity, 1, .nan]]
        #expect(outcome(value, options) == foundationOutcome(value, options))
    }

    @Test(
        "A number that can't be written fails as in JSONEncoder, with the same path",
        arguments: [Double.nan, .infinity, -.infinity])
    func invalid(_ number: Double) {
        struct Value: Encodable { var list: [String: [Double]] }
        let value = Value(list: ["a": [1, number]])
        #expect(outcome(value) == foundationOutcome(value))
        #expect(outcome(value).hasPrefix("invalid"))
        #expect(outcome(Float(number)) == foundationOutcome(Float(number)))
        #expect(outcome(Decimal.nan) == foundationOutcome(Decimal.nan))
    }

    @Test("An encoded type receives the options' userInfo")
    func userInfo() throws {
        struct Value: Encodable {
            static let key = CodingUserInfoKey(rawValue: "key")
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(Self.key.flatMap { encoder.userInfo[$0] } as? String)
            }
        }
        var options = JSON.EncodingOptions()
        options.userInfo = [try #require(Value.key): "x"]
        #expect(isDirect([Value()], options))
        #expect(try options.data(of: [Value()]) == Data(#"["x"]"#.utf8))
    }

    @Test("A long text that outgrows its memory many times is complete")
    func long() throws {
        let value = (0..<20_000).map { ["name \($0)": String(repeating: "é/", count: $0 % 300)] }
        #expect(isDirect(value))
        #expect(
            try JSON(parsing: JSON.EncodingOptions().data(of: value))
                == JSON(parsing: JSONEncoder().encode(value)))
    }
}

// MARK: - Random values

/// A random value that encodes itself in one of the ways that types use.
indirect enum Anyhow: Encodable, CustomStringConvertible {
    case int(Int)
    case double(Double)
    case text(String)
    case date(Date)
    case null
    case list([Anyhow])
    case dictionary([String: Anyhow])
    case fails(Anyhow)
    /// The steps of a hand-written `encode(to:)` of an object.
    case object([Step])

    enum Step {
        case member(String, Anyhow)
        case infinity(String)
        case object(String, [Step])
        case array(String, [Anyhow])
        case parent(String)
        case again
    }

    struct Failure: Error {}

    static func random(_ random: inout SeededRandom, depth: Int = 0) -> Anyhow {
        let name = { (random: inout SeededRandom) in
            ["a", "b", "c", "é", "e\u{301}", "/x", "long name of a member"][random.below(7)]
        }
        switch random.below(depth < 4 ? 12 : 5) {
        case 0: return .int(random.below(1000) - 500)
        case 1: return .double(Double(random.below(1000)) / 8 + (random.below(60) == 0 ? .infinity : 0))
        case 2: return .text(["", "\"", "日本語/", "plain text", "\u{0}\u{7F}"][random.below(5)])
        case 3: return .date(Date(timeIntervalSince1970: Double(random.below(2_000_000_000))))
        case 4: return .null
        case 5, 6: return .list((0..<random.below(4)).map { _ in .random(&random, depth: depth + 1) })
        case 7:
            let members = (0..<random.below(4)).map { _ in
                (name(&random), Anyhow.random(&random, depth: depth + 1))
            }
            return .dictionary(Dictionary(members) { $1 })
        case 8 where random.below(6) == 0: return .fails(.random(&random, depth: depth + 1))
        default: return .object(steps(&random, depth, name))
        }
    }

    private static func steps(
        _ random: inout SeededRandom, _ depth: Int, _ name: (inout SeededRandom) -> String
    ) -> [Step] {
        (0..<random.below(5)).map { index in
            // In JSONEncoder, a container and another value with the same name would crash the process.
            switch random.below(14) {
            // In JSONEncoder, an error of another type that is caught would also crash the process.
            case 0: .infinity(name(&random))
            case 1: .object("object \(index)", depth < 4 ? steps(&random, depth + 1, name) : [])
            case 2: .array("array \(index)", [.random(&random, depth: depth + 1)])
            case 3 where random.below(8) == 0: .parent("parent \(index)")
            case 4: .again
            default:
                .member(
                    random.below(3) == 0 ? name(&random) : "member \(index)",
                    .random(&random, depth: depth + 1))
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .int(let value): try value.encode(to: encoder)
        case .double(let value): try value.encode(to: encoder)
        case .text(let value): try value.encode(to: encoder)
        case .date(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .list(let value): try value.encode(to: encoder)
        case .dictionary(let value): try value.encode(to: encoder)
        case .fails(let value):
            var container = encoder.unkeyedContainer()
            try container.encode(value)
            throw Failure()
        case .object(let steps):
            var container = encoder.container(keyedBy: JSONKey.self)
            for step in steps {
                if case .again = step { container = encoder.container(keyedBy: JSONKey.self) }
                try Anyhow.take(step, &container)
            }
        }
    }

    private static func take(_ step: Step, _ container: inout KeyedEncodingContainer<JSONKey>) throws {
        switch step {
        case .member(let name, let value): try container.encode(value, forKey: JSONKey(stringValue: name))
        case .infinity(let name): try? container.encode(Double.infinity, forKey: JSONKey(stringValue: name))
        case .object(let name, let steps):
            var inner = container.nestedContainer(keyedBy: JSONKey.self, forKey: JSONKey(stringValue: name))
            for step in steps { try take(step, &inner) }
        case .array(let name, let values):
            var inner = container.nestedUnkeyedContainer(forKey: JSONKey(stringValue: name))
            for value in values { try inner.encode(value) }
        case .parent(let name):
            try [1].encode(to: container.superEncoder(forKey: JSONKey(stringValue: name)))
        case .again: break
        }
    }

    var description: String { "a shape" }
}

extension JSONEncodingTests {
    @Test("Random values are encoded as in JSONEncoder", arguments: 0..<40)
    func anything(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var plain = 0
        for _ in 0..<100 {
            let value = Anyhow.random(&random)
            let expected = foundationOutcome(value)
            try #require(outcome(value) == expected, "\(String(reflecting: value))")
            if isDirect(value) { plain += 1 }
        }
        // Most values must be written directly. Otherwise the test would compare nothing.
        #expect(plain > 50)
    }
}
