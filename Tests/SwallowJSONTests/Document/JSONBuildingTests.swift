import Foundation
import SwallowJSON
import Testing

@Suite("JSON: building")
struct JSONBuildingTests {
    @Test("A literal of any kind is that value")
    func literals() throws {
        let number = 3
        let json: JSON = [
            "text": "x\(number)", "int": -1, "float": 1.5, "yes": true, "no": nil, "list": [1, "a", [:], []],
        ]
        #expect(
            json
                == (try JSON(
                    parsing: #"{"text":"x3","int":-1,"float":1.5,"yes":true,"no":null,"list":[1,"a",{},[]]}"#))
        )
        #expect(
            json.description
                == #"{"text":"x3","int":-1,"float":1.5,"yes":true,"no":null,"list":[1,"a",{},[]]}"#)
    }

    @Test("nil is null, not .missing")
    func nilLiteral() {
        let json: JSON = ["a": nil]
        #expect(json["a"] == nil)
        #expect(json["b"] != nil)
    }

    @Test("A name given twice is no trap and keeps its first value")
    func duplicates() {
        let json: JSON = ["a": 1, "b": 2, "a": 3]
        #expect(json.description == #"{"a":1,"b":2}"#)
        #expect(JSON.object([("a", 1), ("a", 2)]).description == #"{"a":1}"#)
    }

    @Test("A missing member is left out, a missing element becomes null")
    func missing() {
        let absent = JSON.null["x"]
        #expect((["a": absent, "b": 1] as JSON).description == #"{"b":1}"#)
        #expect(([absent, 1] as JSON).description == "[null,1]")
        #expect(([absent] as JSON)[0].isNull)
        #expect(JSON.object([("a", .missing), ("a", 2)]).description == #"{"a":2}"#)
    }

    @Test("Each function makes its value")
    func functions() {
        #expect(JSON.string("a") == "a")
        #expect(JSON.bool(true) == true)
        #expect(JSON.array([.null, .number(1)]) == [nil, 1])
        #expect(JSON.object([("b", .number(1)), ("a", .null)]).members.map(\.key) == ["b", "a"])
    }

    @Test("A number of any type is written shortest and exact")
    func numbers() throws {
        #expect(JSON.number(UInt64.max).description == "18446744073709551615")
        #expect(JSON.number(Int8.min).description == "-128")
        #expect(JSON.number(1).description == "1")
        #expect(JSON.number(1.0).description == "1.0")
        #expect(JSON.number(Float(0.1)).description == "0.1")
        #expect(JSON.number(CGFloat(0.5)).description == "0.5")
        #expect(JSON.number(try #require(Decimal(string: "19.90"))).description == "19.9")
        #expect(JSON.number(Decimal.greatestFiniteMagnitude).decimal == .greatestFiniteMagnitude)
    }

    @Test(
        "Every finite Double is written as legal JSON that reads back the same",
        arguments: [
            0, -0.0, 0.1, 1e16, 1e-7, 1e300, -1.5e-300, .leastNonzeroMagnitude, .pi, .greatestFiniteMagnitude,
            .leastNormalMagnitude,
        ])
    func doubles(_ value: Double) throws {
        #expect(try JSON(parsing: JSON.number(value).description).double == value)
    }

    @Test(
        "A number JSON cannot write is an error where it is encoded, however deep it is in what is built",
        arguments: [
            (JSON.number(Double.nan), "nan"), (.number(-Double.infinity), "-inf"),
            (.number(Float.infinity), "inf"),
            (.number(Decimal.nan), "NaN"),
        ])
    func nonFinite(_ number: JSON, _ spelling: String) {
        for json in [number, ["a": 1, "b": [number]], .array([.object([("x", number)])])] {
            let reason = "\(spelling) is not a finite number"
            #expect(!json.exists && !json.isNull && json.data.isEmpty && json.prettyPrinted.isEmpty)
            #expect(json.description == "invalid: \(reason)")
            #expect(throws: EncodingError.self) { try JSONEncoder().encode(json) }
            let encoding = Encoding<Int>.custom { _ in json }
            #expect(throws: EncodingError.self) { try encoding.data(of: 1) }
            #expect(throws: EncodingError.self) { try encoding.data(of: [1]) }
        }
    }
}
