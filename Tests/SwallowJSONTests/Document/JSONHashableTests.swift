import Foundation
import SwallowJSON
import Testing

@Suite("JSON: equality")
struct JSONHashableTests {
    @Test(
        "Equal content is equal and hashes equal",
        arguments: [
            ("1", "1.0"), ("1", "1e0"), ("100", "1e2"), ("100", "0.1E+3"), ("0.10", "0.1"), ("0", "-0.0"),
            ("0", "0e5"), ("1e400", "10e399"),
            ("-15e-1", "-1.5"), ("123456789012345678901234567890", "1.2345678901234567890123456789e29"),
            ("0e99999999999999999999", "0"), ("1e99999999999999999999", "1e99999999999999999999"),
            (#"{"a":1,"b":2}"#, #"{"b":2.0,"a":1}"#), (#"{"a":1,"a":2}"#, #"{"a":1}"#),
            (#"{"a":1,"a":2}"#, #"{"a":1,"a":3}"#),
            (#""\u0061\/""#, #""a/""#), (#"[ 1 , {"x":[]} ]"#, #"[1,{"x":[]}]"#),
            (#""\u00e9""#, #""e\u0301""#),
        ])
    func equal(_ left: String, _ right: String) throws {
        let (left, right) = (try JSON(parsing: left), try JSON(parsing: right))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(Set([left, right]).count == 1)
    }

    @Test(
        "Different content is unequal",
        arguments: [
            ("1", "-1"), ("1", "10"), ("1", "\"1\""), ("0", "false"), ("0", "null"), ("[]", "{}"),
            ("[1,2]", "[2,1]"), ("[1]", "[1,1]"),
            (#"{"a":1}"#, #"{"a":1,"b":null}"#), (#"{"a":1,"a":2}"#, #"{"a":2}"#), ("\"a\"", "\"A\""),
            ("1e400", "1e401"),
            ("9007199254740993", "9007199254740992"), ("0.1", "0.10000000000000000001"),
            ("1e99999999999999999999", "1e99999999999999999998"),
            ("1e99999999999999999999", "-1e99999999999999999999"),
        ])
    func unequal(_ left: String, _ right: String) throws {
        #expect(try JSON(parsing: left) != JSON(parsing: right))
    }

    @Test(".missing equals only itself")
    func missing() {
        #expect(JSON.missing == .missing)
        #expect(JSON.missing != .null)
        #expect(Set<JSON>([.missing, .null, .missing]).count == 2)
    }
}
