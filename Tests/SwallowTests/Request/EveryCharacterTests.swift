import Foundation
import LoopbackServer
import Swallow
import SwallowResources
import Testing

/// Checks URLs with invalid characters. On Linux, `URL(string:)` encodes a complete component, including its escapes,
/// if it contains an invalid character. So each text is placed next to brackets and escapes.
@Suite("No character is encoded twice")
struct EveryCharacterTests {
    /// Unicode's first 256 code points, in groups of sixteen, and each reserved character of RFC 3986 alone.
    static let texts: [String] =
        stride(from: 0, to: 256, by: 16).map { start in
            String(String.UnicodeScalarView((start..<start + 16).compactMap { Unicode.Scalar(UInt8($0)) }))
        } + ":/?#[]@!$&'()*+,;=".map { "\($0)[%41] \($0)" }

    private let server: LoopbackServer
    private let service: WebService

    init() throws {
        server = try LoopbackServer { request in
            let next = request.queryItems.first { $0.name == "next" }?.value
            let headers = next.map { [("Link", "<\($0)>; rel=\"next\"")] } ?? []
            return .respond(.init(headers: headers, body: .data(Data("[]".utf8))))
        }
        service = WebService(baseURLString: server.baseURLString + "/v[1]")
    }

    @Test("A path segment is encoded once", arguments: texts)
    func segment(text: String) async throws {
        _ = try await service.GET("/a[0]/\(text)/%5B?hd=[1]").data
        #expect(await sent().path == "/v%5B1%5D/a%5B0%5D/\(escaped(text))/%5B")
    }

    @Test("A raw path is encoded once, and its escapes stay", arguments: texts)
    func rawPath(text: String) async throws {
        let text = legal(text, without: "?#")
        _ = try await service.GET("/x/\(raw: text)[%2B]").data
        let path = await sent().path
        #expect(path.removingPercentEncoding == "/v[1]/x/\(text.removingPercentEncoding ?? text)[+]")
        #expect(path.hasSuffix("%5B%2B%5D"))
    }

    @Test("A raw query is encoded once, and its escapes stay", arguments: texts)
    func rawQuery(text: String) async throws {
        let text = legal(text, without: "#&=")
        _ = try await service.GET("/x?page[n]=1&\(raw: text)=%2B", parameters: ["+q": 1]).data
        let items = await sent().queryItems
        #expect(items.map(\.name) == ["page[n]", text.removingPercentEncoding, "+q"])
        #expect(items.map(\.value) == ["1", "+", "1"])
    }

    @Test("The name and the value of a query item are encoded once", arguments: texts)
    func query(text: String) async throws {
        _ = try await service.GET("/x?hd=[1]&e=%20", parameters: [text + "n": text]).data
        let query = await sent().query
        #expect(query == "hd=%5B1%5D&e=%20&\(escaped(text + "n"))=\(escaped(text))")
    }

    @Test("The name and the value of a form parameter are encoded once", arguments: texts)
    func form(text: String) async throws {
        _ = try await service.POST("/x?hd=[1]", parameters: [text + "n": text]).data
        let request = await sent()
        #expect(request.formItems.map { [$0.name, $0.value] } == [[text + "n", text]])
        #expect(request.query == "hd=%5B1%5D")
    }

    @Test("A link to the next page is encoded once", arguments: texts)
    func link(text: String) async throws {
        // A header field contains no control characters, and every transport supports only ASCII in it.
        let bare = String(legal(text, without: "#&=>").unicodeScalars.filter { $0.value < 0x7F })
        let target = "?page[number]=2&q=\(escaped(text))&\(bare)=a%20b"
        let repository = Entries(service: service, pagination: .link)
        let page = try await repository.readPage(linkingTo: target)
        _ = try await repository.read(after: page).value
        let items = await server.request(at: 1).queryItems
        #expect(items.map(\.name) == ["page[number]", "q", bare.removingPercentEncoding])
        #expect(items.map(\.value) == ["2", text, "a b"])
    }

    @Test("A URL with brackets in any of its components is encoded once")
    func seen() throws {
        let name = "x y"
        #expect(
            try built(path: "/a?hd=[1]", parameters: ["+q": 1]).url?.absoluteString
                == "http://h/a?hd=%5B1%5D&%2Bq=1")
        #expect(try built(path: "/a[0]/\(name)").url?.absoluteString == "http://h/a%5B0%5D/x%20y")
        #expect(
            try built(path: "http://u[%40:p@[::1]:80/a[0]%20").url?.absoluteString
                == "http://u%5B%40:p@[::1]:80/a%5B0%5D%20")
    }

    private func sent() async -> LoopbackServer.Request { await server.request(at: 0) }

    private func escaped(_ text: String) -> String {
        let kept = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: kept) ?? ""
    }

    /// Removes the characters that a caller may not write: control characters, and a `%` outside of an
    /// escape.
    private func legal(_ text: String, without others: String) -> String {
        var scalars = text.unicodeScalars
        let hasEscape = text.contains("%41")
        scalars.removeAll { scalar in
            scalar.value < 0x20 || scalar.value == 0x7F || others.unicodeScalars.contains(scalar)
                || (scalar == "%" && !hasEscape)
        }
        return String(scalars)
    }
}

private struct Entries: Readable {
    typealias Model = Int
    let service: WebService
    let name: Request.Path = "entries"
    let pagination: Pagination

    func readPage(linkingTo target: String) async throws -> Page<Int> {
        try await read(page: 1, parameters: ["next": target]).value
    }
}

@Suite("A redirect's target")
struct RedirectTargetTests {
    @Test("The target of a redirect is encoded once, over either transport", arguments: [false, true])
    func location(overURLSession: Bool) async throws {
        let server = try LoopbackServer { request in
            request.path == "/from"
                ? .respond(.redirect(to: "/to[0]?page[number]=2&q=a%20b&r=%")) : .respond(.text("there"))
        }
        let source: any SessionDataTaskDataSource =
            overURLSession ? URLSessionDataSource() : WebService.standardDataSource
        _ = try await WebService(baseURLString: server.baseURLString, dataSource: source).GET("/from").text
        let target = await server.request(at: 1).target
        #expect(target == "/to%5B0%5D?page%5Bnumber%5D=2&q=a%20b&r=%25")
    }
}
