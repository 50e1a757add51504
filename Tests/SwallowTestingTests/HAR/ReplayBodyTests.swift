import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Comparing a request's body with recorded bodies")
struct ReplayBodyTests {
    private static let form = "application/x-www-form-urlencoded"

    /// Whether a request with a body is replayed from a recording with another body.
    private func isSame(_ recorded: HAR.PostData, _ sent: Data, _ type: String) -> Bool {
        let entry = HAR.Entry(
            start: Date(timeIntervalSince1970: 1_893_456_000),
            request: HAR.Request(method: "POST", url: "http://h/a", postData: recorded),
            response: HAR.Response(
                status: 200, content: HAR.Content(Data("1".utf8), mimeType: "text/plain")))
        let request = URLRequest.to("http://h/a") {
            $0.httpMethod = "POST"
            $0.setValue(type, forHTTPHeaderField: "Content-Type")
            $0.httpBody = sent
        }
        let source = ReplayingDataSource(HAR(entries: [entry]), matching: [.method, .url, .body])
        return Call(request, source).resumed().texts == ["1"]
    }

    @Test(
        "Form bodies match if their decoded items are equal",
        arguments: [
            ("q=a+b", "q=a%20b", true), ("q=%c3%a9", "q=%C3%A9", true), ("q=%7e&r=", "q=~&r=", true),
            ("q=a%2Bb", "q=a+b", false), ("a=1&b=2", "b=2&a=1", false), ("a=1%26b=2", "a=1&b=2", false),
            ("a=1", "a=2", false), ("a[]=1", "a%5B%5D=1", true),
        ])
    func forms(recorded: String, sent: String, isExpected: Bool) {
        for type in [Self.form, "\(Self.form); charset=utf-8", "Application/X-WWW-Form-Urlencoded"] {
            let body = HAR.PostData(Data(recorded.utf8), mimeType: Self.form)
            #expect(isSame(body, Data(sent.utf8), type) == isExpected)
        }
    }

    @Test("A form body matches items that a tool recorded without the text")
    func items() {
        let body = HAR.PostData(
            json: ["mimeType": .string(Self.form), "params": [["name": "q", "value": "a b"]]])
        #expect(isSame(body, Data("q=a+b".utf8), Self.form))
        #expect(!isSame(body, Data("q=a%2Bb".utf8), Self.form))
    }

    @Test("All other bodies are compared byte by byte")
    func otherBodies() {
        let text = HAR.PostData(Data("q=a+b".utf8), mimeType: "text/plain")
        #expect(!isSame(text, Data("q=a%20b".utf8), "text/plain"))
        #expect(!isSame(text, Data("q=a%20b".utf8), Self.form))
        let binary = HAR.PostData(Data([0x71, 0x3D, 0xE4]), mimeType: "application/octet-stream")
        #expect(!isSame(binary, Data([0x71, 0x3D, 0xF6]), "application/octet-stream"))
        #expect(isSame(binary, Data([0x71, 0x3D, 0xE4]), "application/octet-stream"))
    }
}
