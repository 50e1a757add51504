import Foundation
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct CachedResponseTests {
    @Test("A response is selected by requests with the same values in the fields that Vary names")
    func selection() throws {
        let asked = try request(["X-Plan": " free ", "X-Other": "1"])
        let response = try cached(headers: ["vary": "x-plan, ,X-Absent"], for: asked)
        #expect(response.isSelected(by: asked))
        #expect(response.isSelected(by: try request(["X-PLAN": "free"])))
        #expect(!response.isSelected(by: try request(["X-Plan": "paid"])))
        #expect(!response.isSelected(by: try request([:])))
        #expect(!response.isSelected(by: try request(["X-Plan": "free", "X-Absent": ""])))
        #expect(response.selection.keys.sorted() == ["x-absent", "x-plan"])
    }

    @Test("Without Vary every request selects a response, and with Vary: * none does")
    func extremes() throws {
        #expect(try cached().isSelected(by: request(["X": "1"])))
        let asked = try request([:])
        #expect(try !cached(headers: ["Vary": "*"], for: asked).isSelected(by: asked))
        #expect(try !cached(headers: ["Vary": "Accept, *"], for: asked).isSelected(by: asked))
    }

    @Test("Encoding keeps all but the content")
    func coding() throws {
        let asked = try request(["X": "1"])
        var response = try cached(
            "é\0", headers: ["Vary": "X", "Content-Type": "text/plain"], content: 1, for: asked)
        response.contentOrigin = ContentOrigin()
        let copy = try JSONDecoder().decode(CachedResponse.self, from: JSONEncoder().encode(response))
        #expect(copy.data == response.data)
        #expect(copy.timestamp == response.timestamp)
        #expect(copy.selection == response.selection)
        #expect(copy.response.url == response.response.url)
        #expect(copy.response.statusCode == 200)
        #expect(copy.response.value(forHTTPHeaderField: "content-type") == "text/plain")
        #expect(copy.content == nil)
        #expect(copy.contentOrigin == nil)
    }

    @Test("No secret that Vary names is in the selection")
    func secrets() throws {
        let response = try cached(headers: ["Vary": "Cookie"], for: request(["Cookie": "secret"]))
        #expect(response.selection["cookie"]?.contains("secret") == false)
    }

    private func request(_ headers: [String: String]) throws -> URLRequest {
        try sampleRequest("http://service.test/a", headers)
    }
}
