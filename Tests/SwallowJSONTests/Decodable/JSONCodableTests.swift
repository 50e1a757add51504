import Foundation
import SwallowJSON
import Testing

@Suite("JSON: Codable")
struct JSONCodableTests {
    private struct Store: Codable, Equatable {
        var name: String
        var tags: [String]?
        var details: JSON
    }

    @Test("A value decodes as a Decodable type, from any place in the document")
    func decode() throws {
        let json: JSON = ["stores": [["name": "A", "tags": ["x"], "details": ["open": true]]]]
        let expected = Store(name: "A", tags: ["x"], details: ["open": true])
        #expect(try json["stores"].decode([Store].self) == [expected])
        let store: Store = try json["stores"][0].decode()
        #expect(store == expected)
        #expect(try json["stores"][0]["name"].decode(String.self) == "A")
    }

    @Test("A wrong shape is a DecodingError, a missing value decodes as null")
    func decodeFailures() throws {
        #expect(throws: DecodingError.self) { try (["name": 1] as JSON).decode(Store.self) }
        #expect(throws: DecodingError.self) { try JSON.missing.decode(Int.self) }
        #expect(try JSON.missing.decode(Int?.self) == nil)
    }

    @Test("Decoding a JSON gives the value itself, spelling and order included")
    func decodeItself() throws {
        let json = try JSON(parsing: #"{"b":1.0,"a":1e400}"#)
        #expect(try json.decode(JSON.self).description == json.description)
    }

    @Test(
        "A value goes through JSONEncoder and JSONDecoder unchanged",
        arguments: [
            "null", "true", "false", "0", "1", "-1", "1.0", "0.1", "19.99", "1e300", "1e-300",
            "9223372036854775807", "18446744073709551615",
            "-9223372036854775808", "3.14159265358979323846264338327950288", "12345678901234567890123456789",
            #""""#, #""é😀""#, "[]", "{}",
            #"{"a":[1,null,{"b":[true,"x"]}],"c":null,"d":0.5}"#, "[[[]]]",
        ])
    func roundTrip(_ text: String) throws {
        let json = try JSON(parsing: text)
        let data = try JSONEncoder().encode(json)
        #expect(try JSON(parsing: data) == json)
        #expect(try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) == json)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private struct Wide: Codable, Equatable {
        var signed: Int128
        var unsigned: UInt128?
        var list: [Int128]
    }

    @Test("Int128 and UInt128 decode and encode")
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func wideIntegers() throws {
        let text = """
            {"signed":\(Int128.min),"unsigned":\(UInt128.max),"list":[1,1e3,\(Int128.max)]}
            """
        let json = try JSON(parsing: text)
        let wide = Wide(signed: .min, unsigned: .max, list: [1, 1000, .max])
        #expect(try json.decode(Wide.self) == wide)
        #expect(try json["unsigned"].decode(UInt128.self) == .max)
        #expect(try json["list"].decode([UInt128].self) == [1, 1000, UInt128(Int128.max)])
        #expect(throws: DecodingError.self) { try json["unsigned"].decode(Int128.self) }
        #expect(throws: DecodingError.self) { try JSON(parsing: "1.5").decode(Int128.self) }
        #expect(JSON.number(UInt128.max).description == "\(UInt128.max)")
        #expect(try JSON(parsing: JSONEncoder().encode(json)) == json)
        #expect(try JSONDecoder().decode(Wide.self, from: JSONEncoder().encode(json)) == wide)
    }

    @Test("Where decode differs from JSONDecoder on purpose, it keeps to RFC 8259 and loses nothing")
    func differences() throws {
        let foundation = JSONDecoder()
        #expect(try JSON(parsing: "1e-400").decode(Double.self) == 0)
        #expect(throws: DecodingError.self) { try foundation.decode(Double.self, from: Data("1e-400".utf8)) }
        let almostOne = "1.00000000000000000001"
        #expect(throws: DecodingError.self) { try JSON(parsing: almostOne).decode(Int.self) }
        #expect(try foundation.decode(Int.self, from: Data(almostOne.utf8)) == 1)
        #expect(try JSON(parsing: #"{"a":1,"a":2}"#).decode([String: Int].self) == ["a": 1])
        #expect(throws: JSONError.self) { try JSON(parsing: "[1,]") }
        #expect(try foundation.decode([Int].self, from: Data("[1,]".utf8)) == [1])
        let utf16 = try #require("[1]".data(using: .utf16LittleEndian))
        #expect(throws: JSONError.self) { try JSON(parsing: utf16) }
        #expect(try foundation.decode([Int].self, from: utf16) == [1])
    }

    @Test("A value goes through a property list too")
    func propertyList() throws {
        let json: JSON = ["a": [1, -2, 0.5, true, "x"], "b": ["c": 18_446_744_073_709]]
        let data = try PropertyListEncoder().encode(json)
        #expect(try PropertyListDecoder().decode(JSON.self, from: data) == json)
    }

    @Test("A repeated name encodes its first value")
    func duplicates() throws {
        let json = try JSON(parsing: #"{"a":1,"a":2}"#)
        #expect(try JSON(parsing: JSONEncoder().encode(json)) == json)
    }

    @Test("A number beyond Double is an EncodingError, .missing encodes as null")
    func extremes() throws {
        let json = try JSON(parsing: "[1e400]")
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(json) }
        #expect(try JSONEncoder().encode(JSON.missing) == Data("null".utf8))
    }
}
