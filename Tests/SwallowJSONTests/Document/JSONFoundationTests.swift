import Foundation
import SwallowJSON
import Testing

@Suite("JSON: as Foundation objects")
struct JSONFoundationTests {
    @Test(
        "foundationObject equals the object that JSONSerialization creates",
        arguments: [
            "null", "true", "false", #""x""#, "[]", "{}", "0", "-0", "1", "-1", "1.0", "1e2", "0.1", "-0.5",
            "1e-400", "9223372036854775807",
            "-9223372036854775808", "9223372036854775808", "18446744073709551615", "18446744073709551616",
            "-9223372036854775809",
            "123456789012345678901234567890", "3.14159265358979323846264338327950288", "10000000000000000.0",
            "1e300",
            "1234567890123456789012e200", #"{"a":[1,null,true,"x",{"b":0.5}],"c":{}}"#,
        ])
    func matches(_ text: String) throws {
        let expected = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        let object = try JSON(parsing: text).foundationObject
        #expect(try #require(object as? NSObject) == #require(expected as? NSObject))
        #expect((object as? NSNumber)?.stringValue == (expected as? NSNumber)?.stringValue)
    }

    @Test("The members of a foundationObject can be cast to Swift types")
    func casts() throws {
        let text = #"{"int":1,"double":0.5,"bool":true,"string":"x","array":[1,2],"null":null}"#
        let object = try #require(JSON(parsing: text).foundationObject as? [String: Any])
        #expect(object["int"] as? Int == 1)
        #expect(object["int"] as? Double == 1)
        #expect(object["double"] as? Double == 0.5)
        #expect(object["bool"] as? Bool == true)
        #expect(object["string"] as? String == "x")
        #expect(object["array"] as? [Int] == [1, 2])
        #expect(object["null"] is NSNull)
    }

    @Test("JSONSerialization accepts every foundationObject")
    func validity() throws {
        let json = try JSON(parsing: #"{"a":[1,1e400,0.5,"x",null,true]}"#)
        let data = try JSONSerialization.data(withJSONObject: json.foundationObject)
        #expect(try JSON(parsing: data) == ["a": [1, nil, 0.5, "x", nil, true]])
        #expect(JSON.missing.foundationObject is NSNull)
    }

    @Test("A repeated name has its first value, although JSONSerialization uses the last")
    func duplicates() throws {
        let object = try JSON(parsing: #"{"a":1,"a":2}"#).foundationObject as? [String: Int]
        #expect(object == ["a": 1])
        // If a repeated name's value were read again, the work would double with each level.
        let deep = (0..<400).reduce("0") { inner, _ in #"{"a":\#(inner),"a":0}"# }
        #expect(try JSON(parsing: deep).foundationObject is [String: Any])
    }

    @Test("A Foundation object is converted to JSON with sorted names, and back")
    func reading() throws {
        let text = #"{"b":[1,-0.5,true,null,"x",18446744073709551615],"a":{"é":{}}}"#
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let json = try JSON(foundationObject: object)
        #expect(try json == JSON(parsing: text))
        #expect(json.members.map(\.key) == ["a", "b"])
        let mixed = try JSON(
            foundationObject: ["n": 1, "list": [1.5, "x", false, NSNull(), ["k": 2] as JSON]] as [String: Any]
        )
        #expect(mixed == ["n": 1, "list": [1.5, "x", false, nil, ["k": 2]]])
        for scalar in ["1", "0.5", "true", "null", #""x""#] {
            let json = try JSON(parsing: scalar)
            #expect(try JSON(foundationObject: json.foundationObject) == json)
        }
    }

    @Test("The error of a value that JSON can't represent has its path")
    func unholdable() throws {
        for value in [Date(), Double.nan, JSON.number(Double.infinity)] as [any Sendable] {
            let error = try #require(throws: EncodingError.self) {
                try JSON(foundationObject: ["a": [1, value] as [Any]] as [String: Any])
            }
            guard case .invalidValue(_, let context) = error else { continue }
            #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
        }
    }
}
