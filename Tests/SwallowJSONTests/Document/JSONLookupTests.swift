import Foundation
import SwallowJSON
import Testing

@Suite("JSON: looking inside")
struct JSONLookupTests {
    private let json: JSON = [
        "name": "Ann", "age": 42, "tags": ["a", "b"], "none": nil, "ok": true, "half": 0.5,
    ]

    @Test("A missing member is .missing, never a trap")
    func missing() {
        #expect(json["nothing"] == .missing)
        #expect(json["nothing"]["at"][7]["all"] == .missing)
        #expect(json["name"]["first"] == .missing)
        #expect(json["tags"]["name"] == .missing)
        #expect(json[0] == .missing)
    }

    @Test("A position outside an array is .missing", arguments: [-1, 2, Int.max, Int.min])
    func outOfRange(_ position: Int) {
        #expect(json["tags"][position] == .missing)
        #expect(json["tags"].elements[position] == .missing)
    }

    @Test("Only .missing doesn't exist, only null is null")
    func existence() {
        #expect(!JSON.missing.exists && !JSON.missing.isNull)
        #expect(JSON.null.exists && JSON.null.isNull)
        #expect(json["none"].exists && json["none"].isNull)
        #expect(json["name"].exists && !json["name"].isNull)
    }

    @Test("A value reads as its own type")
    func values() {
        #expect(json["name"].string == "Ann")
        #expect(json["age"].int == 42)
        #expect(json["half"].double == 0.5)
        #expect(json["ok"].bool == true)
        #expect(json["tags"].array == ["a", "b"])
        #expect(json["tags"][1].string == "b")
        #expect(json.object?.keys.sorted() == ["age", "half", "name", "none", "ok", "tags"])
    }

    @Test("A value of another type reads as nil, nothing is converted")
    func mismatches() {
        #expect(json["age"].string == nil)
        #expect(json["age"].bool == nil)
        #expect((["1"] as JSON)[0].int == nil)
        #expect(json["ok"].int == nil)
        #expect(json["none"].string == nil)
        #expect(json["tags"].object == nil)
        #expect(json.array == nil)
        #expect(JSON.missing.double == nil)
        #expect(JSON.missing.decimal == nil)
    }

    @Test("count is the number of elements or members, else 0")
    func count() {
        #expect(json.count == 6)
        #expect(json["tags"].count == 2)
        #expect(json["name"].count == 0)
        #expect(JSON.missing.count == 0)
    }

    @Test("elements and members are in order, and empty for anything else")
    func collections() {
        #expect(json["tags"].elements.map(\.string) == ["a", "b"])
        #expect(json["tags"].elements.reversed() == ["b", "a"])
        #expect(json.members.map(\.key) == ["name", "age", "tags", "none", "ok", "half"])
        #expect(json.members.first?.value == "Ann")
        #expect(json.members.count == 6)
        #expect(json.members[json.members.endIndex].value == .missing)
        #expect(json.elements.isEmpty)
        #expect(json["tags"].members.isEmpty)
        #expect(JSON.missing.elements.isEmpty && JSON.null.members.isEmpty)
    }

    @Test("Of a repeated name look-up takes the first, as JSONDecoder does; members shows all")
    func duplicates() throws {
        let text = #"{"a":1,"b":2,"a":3,"\u0061":4}"#
        let json = try JSON(parsing: text)
        let decoded = try JSONDecoder().decode([String: Int].self, from: Data(text.utf8))
        #expect(json["a"].int == 1)
        #expect(json["a"].int == decoded["a"])
        #expect(json.object == ["a": 1, "b": 2])
        #expect(json.members.map(\.key) == ["a", "b", "a", "a"])
        #expect(json.count == 4)
        #expect(json.description == #"{"a":1,"b":2,"a":3,"a":4}"#)
    }

    @Test("Names compare as Swift strings do, as in JSONDecoder")
    func canonicallyEquivalentNames() throws {
        let text = "{\"e\u{301}\":1}"
        #expect(try JSON(parsing: text)["\u{E9}"].int == 1)
        #expect(try JSONDecoder().decode([String: Int].self, from: Data(text.utf8))["\u{E9}"] == 1)
    }

    @Test("A value says of which kind it is, and none where there is no value")
    func kinds() throws {
        let json = try JSON(parsing: #"[{}, [], "", "é", "\\n", 1, -1.5e400, true, false, null]"#)
        #expect(
            json.elements.map(\.kind)
                == [.object, .array, .string, .string, .string, .number, .number, .bool, .bool, .null])
        #expect(json["a"].kind == .missing && json[10].kind == .missing && JSON.missing.kind == .missing)
        #expect(JSON.number(Double.nan).kind == .missing && JSON.string("x").kind == .string)
    }
}
