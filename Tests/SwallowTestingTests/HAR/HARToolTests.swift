import Foundation
import SwallowTesting
import Testing

@testable import HARTool

@Suite("HARTool")
struct HARToolTests {
    private let example = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Examples/HARTool/example.har")

    @Test("redact removes the values at valid JSON paths, and fails with an invalid path")
    func paths() throws {
        let har = try HAR(contentsOf: example)
        let text = String(decoding: try har.redacted(names: [], paths: ["$.user.mail"]).data, as: UTF8.self)
        #expect(text.contains(#"\"mail\":\"<redacted>\""#))
        #expect {
            try har.redacted(names: [], paths: ["$.user.mail", "$.a["])
        } throws: {
            "\($0)" == #"the value "$.a[" of --path isn't a JSON path"#
        }
    }
}
