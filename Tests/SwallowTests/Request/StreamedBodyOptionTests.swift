import Foundation
import LoopbackServer
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Options for bodies that aren't in memory")
struct StreamedBodyOptionTests {
    @Test("A file's content type is derived from its extension, unless it is specified")
    func fileType() throws {
        let types = [
            "a.json": "application/json", "b.PNG": "image/png", "c.tar.gz": "application/gzip",
            "d": "application/octet-stream", "e.unheard": "application/octet-stream",
            ".mov": "video/quicktime",
        ]
        for (name, type) in types {
            let request = try built(.PUT, options: [.body(file: URL(filePath: "/x/\(name)"))])
            #expect(request.value(forHTTPHeaderField: "Content-Type") == type)
            #expect(request.streamedBody?.isRepeatable == true && request.httpBody == nil)
        }
        let request = try built(.PUT, options: [.body(file: URL(filePath: "/x/a.json"), contentType: "a/b")])
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "a/b")
        let set = try built(
            .PUT, options: [.header(.contentType, "c/d"), .body(file: URL(filePath: "/x/a.json"))])
        #expect(set.value(forHTTPHeaderField: "Content-Type") == "c/d")
    }

    @Test("A stream is repeatable, a sequence isn't, and both have a default content type")
    func streams() throws {
        let (parts, _) = AsyncStream<Data>.makeStream()
        let opened = try built(
            .POST, options: [.body(stream: { InputStream(data: Data()) }, contentType: "a/b")])
        #expect(opened.streamedBody?.isRepeatable == true)
        #expect(opened.value(forHTTPHeaderField: "Content-Type") == "a/b")
        let once = try built(.POST, options: [.body(stream: parts, length: 7)])
        #expect(once.streamedBody?.isRepeatable == false)
        #expect(once.value(forHTTPHeaderField: "Content-Type") == "application/octet-stream")
    }

    @Test(
        "An impossible length fails with .invalidRequest, even in a form",
        arguments: [Int64(-1), -500, .min, .max])
    func impossibleLength(length: Int64) async {
        let open = { @Sendable () -> InputStream in InputStream(data: Data("abc".utf8)) }
        var options: [Request.Option] = [
            .multipart { form in
                form.append("b", named: "a")
                form.append(stream: open, length: length, named: "f")
            }
        ]
        if length < 0 { options.append(.body(stream: open, length: length)) }
        for option in options {
            let service = WebService(
                baseURLString: "http://127.0.0.1:1", dataSource: WebService.standardDataSource)
            #expect(await service.POST("/", options: [option]).result.failure?.reason == .invalidRequest)
        }
    }

    @Test("Encoding a request doesn't read its streamed body")
    func pure() async throws {
        let parts = MadeParts(count: 1, size: 5)
        let request = Request(.POST, baseURLString: "http://h", options: [.body(stream: parts)])
        for _ in 0..<3 { _ = try request.urlRequest() }
        #expect(parts.asked.values.isEmpty)
        let form = Request(
            .POST, baseURLString: "http://h", options: [.multipart { $0.append("b", named: "a") }])
        #expect(try form.urlRequest() == form.urlRequest())
    }

    @Test("The error of a body that is set twice names both options")
    func twoOwners() throws {
        let file = Request.Option.body(file: URL(filePath: "/a"))
        let stream = Request.Option.body(stream: { InputStream(data: Data()) })
        let form = Request.Option.multipart { _ in }
        let cases: [([Request.Option], String)] = [
            ([file, .json(1)], ".body(file:) and .json"), ([stream, form], ".body(stream:) and .multipart"),
            ([.body(Data(), contentType: "a/b"), file], ".body and .body(file:)"),
        ]
        for (options, owners) in cases {
            let error = failure { () throws(ServiceError) in try built(.POST, options: options) }
            #expect(error?.reason == .invalidRequest)
            #expect("\(String(describing: error))".contains(owners))
        }
        let error = failure { () throws(ServiceError) in
            try built(.POST, parameters: ["a": 1], options: [form])
        }
        #expect("\(String(describing: error))".contains("parameters and .multipart"))
    }

    @Test(
        "A body of GET or HEAD fails, and the error names the body's option",
        arguments: [Request.Method.GET, .HEAD])
    func noBody(method: Request.Method) throws {
        let options: [(Request.Option, String)] = [
            (.body(file: URL(filePath: "/a")), ".body(file:)"), (.multipart { _ in }, ".multipart"),
            (.body(stream: MadeParts(count: 1, size: 1)), ".body(stream:)"),
        ]
        for (option, owner) in options {
            let error = failure { () throws(ServiceError) in try built(method, options: [option]) }
            #expect(error?.reason == .invalidRequest)
            #expect("\(String(describing: error))".contains(owner))
            #expect("\(String(describing: error))".contains(method.rawValue))
        }
    }

    @Test("A content type with invalid characters fails with .invalidRequest")
    func illegalType() {
        let file = Request.Option.body(file: URL(filePath: "/a"), contentType: "a\r\nb")
        #expect(
            failure { () throws(ServiceError) in try built(.PUT, options: [file]) }?.reason == .invalidRequest
        )
        let form = Request.Option.multipart { $0.append(Data(), named: "a", contentType: "a\r\nb") }
        #expect(
            failure { () throws(ServiceError) in try built(.PUT, options: [form]) }?.reason == .invalidRequest
        )
    }

    @Test("A service uploads a file, and fails if there is no file at the URL")
    func service() async throws {
        let server = try LoopbackServer()
        let bytes = LoopbackServer.octets(400_000)
        let file = try TemporaryFile(bytes, named: "film.mp4")
        let service = WebService.test(WebService.standardDataSource, base: server.baseURLString)
        let report = try await service.PUT("/stream/report", options: [.body(file: file.url)]).json
        #expect(report["sum"].int == LoopbackServer.checksum(bytes))
        let missing = service.PUT("/stream/report", options: [.body(file: URL(filePath: "/nowhere/film"))])
        await #expect { try await missing.data } throws: { ($0 as? ServiceError)?.reason == .invalidRequest }
    }
}
