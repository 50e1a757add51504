import Foundation
import DecodePipeline
import SwallowJSON
import Testing

@Suite("Decodings: failures")
struct DecodingFailureTests {
    @Test("A failure names the full path and both types", arguments: Spelling.allCases)
    func path(_ spelling: Spelling) throws {
        var sick = annJSON.object ?? [:]
        sick["sports"] = [1]
        let json: JSON = [annJSON, annJSON, annJSON, .object(sick.map { ($0, $1) })]
        let failure = #expect(throws: DecodingFailure.self) {
            try (spelling.user |> array).value(from: json)
        }
        #expect(failure?.description == "$[3].sports[0]: expected string, found number")
        #expect(failure?.path == "$[3].sports[0]")
        guard case .mismatch("string", "number") = failure?.reason else {
            Issue.record("another reason: \(String(describing: failure?.reason))")
            return
        }
    }

    @Test(
        "Names that JSONPath's shorthand can't hold are quoted",
        arguments: [
            ("a_1", "$.a_1"), ("é", "$.é"), ("first name", "$['first name']"), ("1", "$['1']"), ("", "$['']"),
            (#"it's \"#, #"$['it\'s \\']"#), ("a-b", "$['a-b']"),
        ])
    func names(_ name: String, _ path: String) {
        let failure = #expect(throws: DecodingFailure.self) {
            try Decoding.field(name, .int).value(from: JSON.object([(name, "x")]))
        }
        #expect(failure?.path == path)
    }

    @Test("What is no JSON says where it breaks")
    func unparsable() {
        #expect(
            failure(of: .int, "[1") == "$: invalid JSON: line 1, column 3 (byte 2): expected ',' or ']', "
                + "found the end of the document")
        #expect(throws: DecodingFailure.self) { try Decoding.int.value(from: Data()) }
    }

    @Test("A Foundation object that JSON can't hold is named")
    func unholdable() {
        let failure = #expect(throws: DecodingFailure.self) {
            try Decoding.json.value(from: ["at": Date()] as [String: Any])
        }
        #expect(
            failure?.description
                == "$: expected an object that JSON can represent, found Dictionary<String, Any>")
    }
}
