import SwallowJSON
import Testing

@Suite("Decodings: fields")
struct FieldTests {
    struct Box<Value: Sendable>: Sendable { let value: Value }

    private func box<Value: Sendable>(_ field: Field<Value>) -> Decoding<Value> {
        Decoding(Box.init, field).map(\.value)
    }

    @Test("A required member that is missing fails")
    func required() {
        #expect(failure(of: box(.required("a", .int)), #"{"a": 1}"#) == nil)
        #expect(failure(of: box(.required("a", .int)), "{}") == "$.a: expected integer, found nothing")
        #expect(failure(of: box(.required("a", .json)), "{}") == "$.a: expected value, found nothing")
        #expect(failure(of: box(.required("a", .int)), "[1]") == "$: expected object, found array")
    }

    @Test("A null for a required member is passed to its decoding")
    func requiredNull() throws {
        #expect(
            failure(of: box(.required("a", .int)), #"{"a": null}"#) == "$.a: expected integer, found null")
        #expect(try box(.required("a", .nullable(.int))).value(from: #"{"a": null}"#) == nil)
        #expect(try box(.required("a", .nullable(.int))).value(from: #"{"a": 1}"#) == 1)
        #expect(
            failure(of: box(.required("a", .nullable(.int))), "{}") == "$.a: expected integer, found nothing")
    }

    @Test("An optional member is nil if it is missing or null, and fails if it has the wrong type")
    func optional() throws {
        let field = box(.optional("a", .int))
        #expect(try field.value(from: "{}") == nil)
        #expect(try field.value(from: #"{"a": null}"#) == nil)
        #expect(try field.value(from: #"{"a": 1}"#) == 1)
        #expect(failure(of: field, #"{"a": "1"}"#) == "$.a: expected integer, found string")
        #expect(failure(of: field, "1") == "$: expected object, found number")
    }

    @Test("A default replaces a missing member and null, but a member of the wrong type fails")
    func defaults() throws {
        let field = box(.optional("a", .int, default: 5))
        #expect(try field.value(from: "{}") == 5)
        #expect(try field.value(from: #"{"a": null}"#) == 5)
        #expect(try field.value(from: #"{"a": 1}"#) == 1)
        #expect(failure(of: field, #"{"a": "1"}"#) == "$.a: expected integer, found string")
    }

    @Test("A failure in a path of members has the path up to the fault")
    func paths() throws {
        let field = box(.required(at: ["a", "b"], .string))
        #expect(try field.value(from: #"{"a": {"b": "x"}}"#) == "x")
        #expect(failure(of: field, #"{"a": {}}"#) == "$.a.b: expected string, found nothing")
        #expect(failure(of: field, "{}") == "$.a: expected object, found nothing")
        #expect(failure(of: field, #"{"a": 1}"#) == "$.a: expected object, found number")
        #expect(failure(of: field, #"{"a": {"b": 1}}"#) == "$.a.b: expected string, found number")
        #expect(try box(.required(at: [], .json)).value(from: "[1]") == [1])
    }

    @Test("A custom field receives the complete object, and a hardcoded field reads nothing")
    func custom() throws {
        #expect(
            try box(.custom(.custom { $0.members.map(\.key) })).value(from: #"{"a": 1, "b": 2}"#) == [
                "a", "b",
            ])
        #expect(try box(.custom(.field("a", .int))).value(from: #"{"a": 1}"#) == 1)
        #expect(try box(.hardcoded(3)).value(from: "null") == 3)
    }
}
