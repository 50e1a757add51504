import Foundation
import LoopbackServer
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A body that is sent compressed")
struct CompressedBodyTests {
    private let server: LoopbackServer
    private let words = Data(String(repeating: "many words, ", count: 10_000).utf8)

    init() throws {
        server = try LoopbackServer { request in
            .respond(request.path == "/moved" ? .redirect(to: "/again", status: 307) : .status(200))
        }
    }

    private var service: WebService { WebService(baseURLString: server.baseURLString) }

    /// Returns a request's body, decompressed by `gzip`.
    private func unpacked(_ request: LoopbackServer.Request) async throws -> Data {
        let file = try TemporaryFile(request.body)
        let process = try ChildProcess(URL(filePath: "/usr/bin/gzip"), ["-dc", file.url.path])
        let body = try await onThread { try process.output.readToEnd() ?? Data() }
        #expect(try await process.status() == 0)
        return body
    }

    @Test("It is gzip, with its length, and keeps its type")
    func sent() async throws {
        _ = try await service.POST("/", options: [.body(words, contentType: "text/plain"), .compressed]).data
        let request = try #require(server.requests.first)
        #expect(request.header("Content-Encoding") == "gzip")
        #expect(request.header("Content-Type") == "text/plain")
        #expect(request.header("Content-Length") == "\(request.body.count)")
        #expect(request.body.count < words.count / 10)
        #expect(try await unpacked(request) == words)
    }

    @Test("JSON, parameters and forms in memory are compressed, too", arguments: [0, 1, 2])
    func kinds(kind: Int) async throws {
        let options: [[Request.Option]] = [
            [.json(["a": 1])], [], [.multipart { $0.append("b", named: "a") }],
        ]
        let parameters: Parameters = kind == 1 ? ["a": 1] : [:]
        _ = try await service.POST("/", parameters: parameters, options: options[kind] + [.compressed]).data
        let request = try #require(server.requests.first)
        #expect(request.header("Content-Encoding") == "gzip")
        let text = String(decoding: try await unpacked(request), as: UTF8.self)
        #expect(kind == 0 ? text == #"{"a":1}"# : kind == 1 ? text == "a=1" : text.contains("name=\"a\""))
    }

    @Test("A redirect that keeps the body and a retry send the same bytes")
    func again() async throws {
        _ = try await service.PUT("/moved", options: [.body(words, contentType: "text/plain"), .compressed])
            .data
        #expect(server.requests.map(\.path) == ["/moved", "/again"])
        #expect(server.requests[0].body == server.requests[1].body)
        #expect(server.requests.allSatisfy { $0.header("Content-Encoding") == "gzip" })
        let stub = StubDataSource().stub(.PUT, "/", .sequence([.status(503), .status(204)]))
        var policy = RetryPolicy()
        policy.backoff = .init(first: .zero)
        _ = try await WebService.test(stub).PUT("/", options: [.json(["a"]), .compressed, .retry(policy)])
            .data
        #expect(stub.requests.count == 2 && stub.requests[0].httpBody == stub.requests[1].httpBody)
        #expect(stub.requests.allSatisfy { $0.value(forHTTPHeaderField: "Content-Encoding") == "gzip" })
    }

    @Test("adaptRequest has what is sent, to sign it")
    func signed() async throws {
        let seen = Lock<Data?>(nil)
        var service = service
        service.configure { $0.adaptRequest { request in seen.withLock { $0 = request.httpBody } } }
        _ = try await service.POST("/", options: [.json(["a"]), .compressed]).data
        #expect(seen.withLock { $0 } == server.requests.first?.body)
    }

    @Test("Without a body it does nothing")
    func nothing() async throws {
        _ = try await service.POST("/", options: [.compressed]).data
        _ = try await service.GET("/", options: [.compressed]).data
        #expect(server.requests.allSatisfy { $0.header("Content-Encoding") == nil && $0.body.isEmpty })
    }

    @Test("A body that is read while it is sent, and one with a coding of its own, end the task")
    func refused() async throws {
        let file = try TemporaryFile(words)
        let own = Request.Option.header(.contentEncoding, "br")
        for options in [[.body(file: file.url)], [.json(["a"]), own]] as [[Request.Option]] {
            let error = await service.POST("/", options: options + [.compressed]).result.failure
            #expect(error?.reason == .invalidRequest)
        }
        #expect(server.requests.isEmpty)
    }

    @Test(
        "The checksum is gzip's",
        arguments: [("", 0), ("123456789", 0xCBF4_3926), ("a", 0xE8B7_BE43)] as [(String, UInt32)])
    func checksum(text: String, sum: UInt32) {
        #expect(Gzip.checksum(Data(text.utf8)) == sum)
    }
}
