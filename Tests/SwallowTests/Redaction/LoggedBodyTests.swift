import Foundation
import Testing

@testable import Swallow

@Suite("Redaction of bodies in a log")
struct LoggedBodyTests {
    private func logged(_ body: String, _ type: String, limit: Int = .max) -> String? {
        LogRedaction.standard.text(ofBody: Data(body.utf8), contentType: type, limit: limit)
    }

    private let form = "application/x-www-form-urlencoded; charset=utf-8"

    @Test("Secret values in forms are redacted, and forms that can't be parsed aren't shown")
    func forms() {
        #expect(
            logged("user=ann&password=s3+cret&a%5Btoken%5D=s3cret", form)
                == "user=ann&password=<redacted>&a%5Btoken%5D=<redacted>")
        #expect(logged("grant_type=x&code=s3cret", form) == "grant_type=x&code=<redacted>")
        #expect(logged("to=%2F%3Ftoken%3Ds3cret&a=1", form) == "to=<redacted>&a=1")
        for body in ["s3cret", "a=s3cret%zz", "a=s3 cret", "a=%FFs3cret", "a=\"s3cret", "a=1&s3cret"] {
            #expect(logged(body, form) == "<redacted>", "\(body)")
        }
        #expect(logged(#"{"token":"s3cret"}"#, form) == #"{"token":"<redacted>"}"#)
    }

    static let type = "multipart/form-data; boundary=x"

    static func part(_ head: String, _ body: String, _ end: String = "\r\n") -> String {
        "--x\(end)Content-Disposition: form-data; \(head)\(end)\(end)\(body)\(end)"
    }

    @Test(
        "Secret values and file contents in multipart forms are redacted", arguments: ["\r\n", "\n"])
    func multipart(end: String) {
        let json = "name=c\(end)Content-Type: application/json"
        let parts = [
            ("name=a", "b", "b"), ("name=\"api_key\"", "s3cret", "<redacted>"),
            ("name=f; filename=\"f.txt\"", "s3cret", "<6 bytes>"),
            (json, #"{"jwt": "s3cret"}"#, #"{"jwt":"<redacted>"}"#),
            ("name=d", "/?token=s3cret", "/?token=<redacted>"), ("name=e", "", ""),
        ]
        let text = { (part: KeyPath<(String, String, String), String>) in
            parts.map { Self.part($0.0, $0[keyPath: part], end) }.joined() + "--x--\(end)"
        }
        #expect(logged(text(\.1), Self.type) == text(\.2))
    }

    @Test(
        "Multipart forms that can't be parsed aren't shown",
        arguments: [
            (type, part("name=a", "s3cret")), (type, "s3cret"),
            (type, "--x\r\ns3cret\r\n--x--"),
            ("multipart/form-data", part("name=a", "s3cret") + "--x--"),
            ("multipart/form-data; boundary=y", part("name=a", "s3cret") + "--x--"),
            (type, part("name=a", "b").replacing("--x\r\n", with: "--xs3cret\r\n") + "--x--"),
        ])
    func broken(type: String, body: String) {
        #expect(logged(body, type) == "<redacted>")
    }

    @Test("A multipart form with more than a thousand parts isn't shown")
    func manyParts() {
        let parts = String(repeating: Self.part("name=a", "1"), count: 1001)
        #expect(logged(parts + "--x--", Self.type) == "<redacted>")
    }

    @Test("JSON Lines are redacted line by line, and JSON after a byte order mark is redacted")
    func lines() {
        let lines = "{\"token\":\"s3cret\"}\n{\"id\":1}\n{\"token\" : \"s3cr"
        #expect(
            logged(lines, "application/x-ndjson") == "{\"token\":\"<redacted>\"}\n{\"id\":1}\n<redacted>")
        let marked = "\u{FEFF}{\"token\":\"s3cret\"}"
        #expect(logged(marked, "text/plain") == "\u{FEFF}{\"token\":\"<redacted>\"}")
    }

    @Test("Nested multipart bodies aren't shown")
    func nested() {
        let type = "name=a\r\nContent-Type: multipart/mixed; boundary=y"
        let body = Self.part(type, "--y\r\n\r\ns3cret\r\n--y--") + "--x--"
        #expect(logged(body, Self.type) == Self.part(type, "<redacted>") + "--x--")
    }

    @Test("Secrets in the data of event streams are redacted, and streams that aren't text aren't shown")
    func events() {
        let stream =
            "\u{FEFF}data: {\"token\":\ndata: \"s3cret\"}\nid: 1\n\ndata: [DONE]\r\n\r\n: jwt=s3cret\ndata: see /?key=s3cret"
        let shown =
            "data:{\"token\":\"<redacted>\"}\nid: 1\n\ndata: [DONE]\r\n\r\n: jwt=<redacted>\ndata: see /?key=<redacted>"
        #expect(logged(stream, "text/event-stream") == "\u{FEFF}" + shown)
        for data in [#"ok {"token":"s3cret"}"#, #"42["auth",{"token" : "s3cret"}]"#] {
            #expect(logged("data: \(data)\n\n", "text/event-stream") == "data:<redacted>\n\n")
        }
        #expect(logged("data: {\"token\":\"s3cr\n\n", "text/event-stream") == "data:<redacted>\n\n")
        // In an event stream, a line with a space doesn't complete an event.
        let spaced = "data: {\"token\":\n \ndata: \"s3cret\"}\n\n"
        #expect(logged(spaced, "text/event-stream") == "data:{\"token\":\"<redacted>\"}\n \n\n")
        #expect(logged("data: a\rdata: s3cret\r\r", "text/event-stream") == "<redacted>")
        let bytes = Data("data: s3cret".utf8) + [0xFF]
        #expect(
            LogRedaction.standard.text(ofBody: bytes, contentType: "text/event-stream", limit: 99)
                == "<redacted>")
    }

    @Test(
        "Other bodies aren't shown",
        arguments: ["text/plain", "text/html", "image/png", "application/xml", ""])
    func others(type: String) {
        #expect(logged("token=s3cret", type) == nil)
        #expect(logged("[s3cret", type) == nil)
        #expect(logged("", type) == nil)
        #expect(logged(#" {"token": "s3cret"}"#, type) == #"{"token":"<redacted>"}"#)
    }

    @Test("A long body is redacted first, and then truncated between two characters")
    func limit() {
        #expect(logged(#"{"a":"é","token":"s3cret"}"#, "application/json", limit: 7) == #"{"a":"…"#)
        #expect(logged(#"{"a":"é","token":"s3cret"}"#, "application/json", limit: 8) == #"{"a":"é…"#)
        #expect(logged("[]", "application/json", limit: 2) == "[]")
    }
}
