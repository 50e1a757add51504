import Foundation
import LoopbackServer
import Swallow
import Testing

@Suite("Values that a server receives unchanged")
struct RoundTripTests {
    static let texts = [
        awkwardText, "", " ", "%", "%41", "100%", "a=b&c=d", "[]", "a[b]", "\"\\'", "\r\n\t\0", "e\u{301}",
        "🇯🇵👩‍👩‍👧",
        "x\u{FEFF}y", "..", "/../", ";,:@$!*()", "\u{10FFFF}",
    ]

    private let server: LoopbackServer
    private let service: WebService

    init() throws {
        server = try LoopbackServer()
        service = WebService(baseURLString: server.baseURLString)
    }

    @Test("Names and values in the query arrive unchanged", arguments: texts)
    func query(text: String) async throws {
        let echo = try await service.GET("/echo", parameters: [text + "n": text]).json
        #expect(pairs(echo["queryItems"]) == [[text + "n", text]])
    }

    @Test("Names and values in the query of a POST arrive unchanged", arguments: texts)
    func postedQuery(text: String) async throws {
        let echo = try await service.POST("/echo", options: [.query([text + "n": text])]).json
        #expect(pairs(echo["queryItems"]) == [[text + "n", text]])
        #expect(echo["body"].string == "")
    }

    @Test("Names and values in a form arrive unchanged", arguments: texts)
    func form(text: String) async throws {
        let echo = try await service.POST("/echo", parameters: [text + "n": text]).json
        #expect(pairs(echo["formItems"]) == [[text + "n", text]])
        #expect(echo["headers"]["content-type"].string == "application/x-www-form-urlencoded")
    }

    @Test("Names and values in JSON arrive unchanged", arguments: texts)
    func json(text: String) async throws {
        let echo = try await service.POST(
            "/echo", parameters: [text + "n": text], options: [.parameterEncoding(.json)]
        ).json
        #expect(echo["json"][text + "n"].string.map { Array($0.utf8) } == Array(text.utf8))
        #expect(echo["headers"]["content-type"].string == "application/json")
    }

    @Test("Each name in a nested form arrives unchanged")
    func nested() async throws {
        let inner: Parameters = [awkwardText: [awkwardText]]
        let echo = try await service.POST("/echo", parameters: ["f": inner]).json
        #expect(pairs(echo["formItems"]) == [["f[\(awkwardText)][]", awkwardText]])
    }

    @Test("Each element of a comma-separated list arrives unchanged")
    func commaSeparated() async throws {
        let echo = try await service.GET(
            "/echo", parameters: ["l": ["a,b", awkwardText]],
            options: [.parameterEncoding(.percent(arrays: .commaSeparated))]
        ).json
        let query = echo["target"].string?.split(separator: "=").last?.split(separator: ",")
        #expect(query?.map { $0.removingPercentEncoding } == ["a,b", awkwardText])
    }

    @Test("A path segment arrives unchanged", arguments: texts.filter { !["", ".", ".."].contains($0) })
    func path(text: String) async throws {
        let server = try LoopbackServer { _ in .respond(.text("ok")) }
        _ = try await WebService(baseURLString: server.baseURLString).GET("/users/\(text)/repos").text
        let segments = await server.request(at: 0).path.split(
            separator: "/", omittingEmptySubsequences: false)
        #expect(segments.map { $0.removingPercentEncoding } == ["", "users", text, "repos"])
    }

    @Test(
        "The value of a header field arrives unchanged, including text beyond ASCII",
        arguments: ["plain", "é 日本", "a, b; c=\"d\"", "  inner  spaces"])
    func header(text: String) async throws {
        let echo = try await service.GET("/echo", options: [.header("X-Text", text)]).json
        #expect(echo["headers"]["x-text"].string == text.trimmingCharacters(in: .whitespaces))
    }

    @Test("Arbitrary bytes in a body arrive unchanged")
    func bytes() async throws {
        let server = try LoopbackServer { _ in .respond(.text("ok")) }
        let data = Data((0...255).map { UInt8($0) })
        let service = WebService(baseURLString: server.baseURLString)
        _ = try await service.PUT("/x", options: [.body(data, contentType: "image/x")]).text
        let request = await server.request(at: 0)
        #expect(request.body == data)
        #expect(request.header("Content-Type") == "image/x")
    }

    private func pairs(_ json: JSON) -> [[String]] {
        json.elements.map { pair in pair.elements.map { $0.string ?? "(not a string)" } }
    }
}
