import Foundation
import LoopbackServer
@testable import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A multipart form")
struct MultipartTests {
    private func text(_ form: MultipartForm) throws -> String {
        let (body, type) = form.encoded()
        let boundary = try #require(type.split(separator: "boundary=").last)
        return String(decoding: try #require(body.data), as: UTF8.self).replacing(boundary, with: "B")
    }

    private func form(_ build: (inout MultipartForm) -> Void) -> MultipartForm {
        var form = MultipartForm()
        build(&form)
        return form
    }

    @Test("A form has its fields in order, and text fields have no content type")
    func fields() throws {
        let form = form { form in
            form.append("Gate", named: "title")
            form.append("", named: "tag")
            form.append(Data("x".utf8), named: "tag")
            form.append(Data("{}".utf8), named: "meta", fileName: "m.json")
        }
        #expect(
            try text(form) == """
                --B\r
                Content-Disposition: form-data; name="title"\r
                \r
                Gate\r
                --B\r
                Content-Disposition: form-data; name="tag"\r
                \r
                \r
                --B\r
                Content-Disposition: form-data; name="tag"\r
                Content-Type: application/octet-stream\r
                \r
                x\r
                --B\r
                Content-Disposition: form-data; name="meta"; filename="m.json"\r
                Content-Type: application/json\r
                \r
                {}\r
                --B--\r

                """)
    }

    @Test("A form without fields is only the closing boundary")
    func empty() throws {
        #expect(try text(form { _ in }) == "--B--\r\n")
    }

    @Test(
        "Names of fields are escaped as HTML specifies",
        arguments: [
            ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\nb", "a%0D%0Ab"), ("a\rb\r", "a%0D%0Ab%0D%0A"),
            ("é日\\%22'", "é日\\%22'"), ("\"\r\n; name=\"x", "%22%0D%0A; name=%22x"),
        ])
    func names(name: String, expected: String) throws {
        let text = try text(form { $0.append("v", named: name) })
        #expect(text.contains("; name=\"\(expected)\"\r\n\r\nv"))
    }

    @Test("File names are escaped, and their line breaks aren't normalized")
    func fileNames() throws {
        let text = try text(form { $0.append(Data(), named: "f", fileName: "a\"\n\r.png") })
        #expect(text.contains("filename=\"a%22%0A%0D.png\"\r\nContent-Type: image/png\r\n"))
    }

    @Test("The boundary occurs in no field in memory")
    func boundary() throws {
        var form = MultipartForm(boundary: "taken")
        form.append("so --taken\r\n is this", named: "a")
        let type = form.encoded().contentType
        #expect(!type.contains("taken"))
        var named = MultipartForm(boundary: "taken")
        named.append("x", named: "taken")
        #expect(!named.encoded().contentType.contains("taken"))
        // The boundary has 128 random bits, and each form has a new one.
        let boundaries = Set((0..<1000).map { _ in MultipartForm().encoded().contentType })
        #expect(boundaries.count == 1000)
        #expect(boundaries.allSatisfy { $0.count == "multipart/form-data; boundary=swallow-".count + 32 })
    }

    @Test("A form can contain another form")
    func nested() throws {
        let inner = form { $0.append("v", named: "inner") }.encoded()
        let data = try #require(inner.body.data)
        let text = try text(form { $0.append(data, named: "outer", contentType: inner.contentType) })
        #expect(text.contains(String(decoding: data, as: UTF8.self)))
        #expect(text.components(separatedBy: "--B").count == 3)
    }

    @Test(
        "A form is streamed from files and streams, with a length if every field has one",
        arguments: [true, false])
    func streamed(hasLength: Bool) async throws {
        let bytes = LoopbackServer.octets(700_000)
        let file = try TemporaryFile(bytes, named: "poster.png")
        let server = try LoopbackServer()
        let option = Request.Option.multipart { form in
            form.append("Gate", named: "title")
            form.append(file: file.url, named: "poster")
            form.append(
                stream: { InputStream(data: Data("streamed".utf8)) }, length: hasLength ? 8 : nil, named: "s",
                fileName: "s.txt")
            form.append(LoopbackServer.octets(300_000), named: "large")
        }
        let service = WebService.test(WebService.standardDataSource, base: server.baseURLString)
        let echoed = try await service.POST("/stream/echo", options: [option]).response
        let type = try #require(echoed.head.value(forHTTPHeaderField: "Content-Type"))
        let boundary = try #require(type.split(separator: "boundary=").last)
        let parts = try Self.parse(echoed.data, String(boundary))
        #expect(parts.map(\.head.count) == [1, 2, 2, 2])
        #expect(
            parts.map(\.body) == [
                Data("Gate".utf8), bytes, Data("streamed".utf8), LoopbackServer.octets(300_000),
            ])
        #expect(parts[1].head.last == "Content-Type: image/png")
        #expect(parts[2].head.first == #"Content-Disposition: form-data; name="s"; filename="s.txt""#)
        let request = await server.request(at: 0)
        guard StandardTransport.isCurl else { return }
        #expect(request.header("Content-Length") == (hasLength ? "\(echoed.data.count)" : nil))
    }

    /// A minimal parser of multipart bodies (RFC 2046 §5.1.1).
    private static func parse(_ data: Data, _ boundary: String) throws -> [(head: [String], body: Data)] {
        var rest = Data("\r\n".utf8) + data
        let delimiter = Data("\r\n--\(boundary)".utf8)
        var parts: [(head: [String], body: Data)] = []
        var start: Data.Index?
        while let range = rest.range(of: delimiter) {
            if let start {
                let part = rest[start..<range.lowerBound]
                let end = try #require(part.range(of: Data("\r\n\r\n".utf8)))
                let head = String(decoding: part[part.startIndex + 2..<end.lowerBound], as: UTF8.self)
                parts.append((head.components(separatedBy: "\r\n"), Data(part[end.upperBound...])))
            }
            rest = rest[range.upperBound...]
            start = rest.startIndex
        }
        #expect(rest == Data("--\r\n".utf8))
        return parts
    }
}
