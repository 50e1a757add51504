import Foundation
import DecodePipeline
import SwallowJSON
import Testing

@Suite("Decodings: values and combinators")
struct CombinatorTests {
    @Test("Each value is read from its own type only")
    func values() throws {
        #expect(try Decoding.string.value(from: #""é""#) == "é")
        #expect(try Decoding.bool.value(from: "true"))
        #expect(try Decoding.int.value(from: "1e2") == 100)
        #expect(try Decoding.double.value(from: "1") == 1)
        #expect(try Decoding.decimal.value(from: "0.1") == Decimal(string: "0.1"))
        #expect(try Decoding.json.value(from: "[null]") == [nil])
        #expect(failure(of: .string, "1") == "$: expected string, found number")
        #expect(failure(of: .bool, "1") == "$: expected boolean, found number")
        #expect(failure(of: .int, "true") == "$: expected integer, found boolean")
        #expect(failure(of: .double, #""1""#) == "$: expected number, found string")
        #expect(failure(of: .decimal, "{}") == "$: expected number, found object")
    }

    @Test("A number out of range says so, and one with a fraction doesn't speak of ranges")
    func ranges() {
        for text in ["1.5", "0.1", "1e-400", "1e-99999999999"] {
            #expect(failure(of: .int, text) == "$: expected integer, found number \(text)")
        }
        for text in ["1e30", "-9223372036854775809", "1e99999999999"] {
            #expect(failure(of: .int, text) == "$: expected integer within Int's range, found number \(text)")
        }
        #expect(
            failure(of: .double, "1e400") == "$: expected number within Double's range, found number 1e400")
    }

    @Test("Arrays and dictionaries name the element or member that doesn't fit")
    func containers() throws {
        #expect(try Decoding.array(.int).value(from: "[1, 2]") == [1, 2])
        #expect(try Decoding.array(.int).value(from: "[]") == [])
        #expect(failure(of: .array(.int), "{}") == "$: expected array, found object")
        #expect(failure(of: .array(.int), #"[1, "2"]"#) == "$[1]: expected integer, found string")
        #expect(try Decoding.dictionary(.int).value(from: #"{"a": 1, "b": 2, "a": 3}"#) == ["a": 1, "b": 2])
        #expect(try Decoding.dictionary(.nullable(.int)).value(from: #"{"a": null}"#) == ["a": nil])
        #expect(try Decoding.dictionary(.int).value(from: "{}") == [:])
        #expect(failure(of: .dictionary(.int), "[]") == "$: expected object, found array")
        #expect(failure(of: .dictionary(.int), #"{"a": []}"#) == "$.a: expected integer, found array")
    }

    @Test("field and at reach into objects")
    func members() throws {
        #expect(try Decoding.field("items", .array(.int)).value(from: #"{"items": [1]}"#) == [1])
        #expect(try Decoding.at(["a", "b"], .int).value(from: #"{"a": {"b": 1}}"#) == 1)
        #expect(
            failure(of: .at(["a", "b"], .array(.int)), #"{"a": {"b": [0, "x"]}}"#)
                == "$.a.b[1]: expected integer, found string")
    }

    @Test("oneOf takes the first form that fits, and lists why none does")
    func oneOf() throws {
        let id = Decoding.oneOf([.string, .int |> map { "\($0)" }, .field("id", .string)])
        #expect(try id.value(from: "7") == "7")
        #expect(try id.value(from: #"{"id": "x"}"#) == "x")
        #expect(
            failure(of: .array(id), #"[{"id": true}]"#)
                == "$[0]: none of 3 alternatives fits (expected string, found object; expected integer, found object; "
                + ".id: expected string, found boolean)")
        #expect(failure(of: Decoding<Int>.oneOf([]), "1") == "$: none of 0 alternatives fits ()")
    }

    @Test("andThen reads the same JSON again, by what the first value says")
    func andThen() throws {
        let size = Decoding.field("kind", .string).andThen { kind in
            kind == "circle" ? .field("radius", .double) : .field("side", .double)
        }
        #expect(try size.value(from: #"{"kind": "circle", "radius": 2}"#) == 2)
        #expect(failure(of: size, #"{"kind": "square"}"#) == "$.side: expected number, found nothing")
    }

    @Test("What a closure throws is the failure at its place")
    func thrown() {
        struct Odd: Error {}
        #expect(failure(of: .array(.int.map { _ in throw Odd() } as Decoding<Int>), "[1]") == "$[0]: Odd()")
        #expect(
            failure(of: .array(.int.andThen { _ in throw Odd() } as Decoding<Int>), "[1]") == "$[0]: Odd()")
        let inner = Decoding<Int>.custom { try Decoding.field("a", .int).value(from: $0) }
        #expect(failure(of: .array(inner), #"[{"a": null}]"#) == "$[0].a: expected integer, found null")
    }
}
