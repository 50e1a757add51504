import Foundation
import LoopbackServer
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A streamed body over every data source")
struct EverySourceTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test("A file and a stream arrive", arguments: Contestant.transports)
    func arrives(contestant: Contestant) async throws {
        let bytes = LoopbackServer.octets(1_000_000)
        let file = try TemporaryFile(bytes)
        for body in [.data(bytes), .file(file.url), .stream { InputStream(data: bytes) }] as [RequestBody] {
            let request = try server.upload("/stream/report", body, "POST")
            let outcome = await server.send(request, contestant.source())
            #expect(outcome.json["sum"].int == LoopbackServer.checksum(bytes))
        }
    }

    @Test("It is opened anew after a redirect that keeps it", arguments: Contestant.transports)
    func redirected(contestant: Contestant) async throws {
        let bytes = LoopbackServer.octets(100_000)
        let file = try TemporaryFile(bytes)
        let request = try server.upload(
            "/redirect-to?url=/stream/report&status=307", .file(file.url), "POST")
        let outcome = await server.send(request, contestant.source())
        #expect(outcome.json["sum"].int == LoopbackServer.checksum(bytes))
    }

    #if os(Linux)
        @Test("A file that says it has no length, and has bytes, arrives", arguments: Contestant.transports)
        func lengthless(contestant: Contestant) async throws {
            let file = URL(filePath: "/proc/version")
            let request = try server.upload("/stream/report", .file(file), "POST")
            let report = await server.send(request, contestant.source()).json
            #expect(report["sum"].int == LoopbackServer.checksum(try Data(contentsOf: file)))
            #expect(report["length"].int ?? 0 > 0 && report["isChunked"].bool == true)
        }
    #endif

    @Test("What is no file ends the task, and sends nothing", arguments: Contestant.transports)
    func noFile(contestant: Contestant) async throws {
        let request = try server.upload("/stream/report", .file(URL(filePath: "/nowhere/film")))
        let error = await server.send(request, contestant.source()).error as? ServiceError
        #expect(error?.reason == .invalidRequest)
        #expect(server.requests.isEmpty)
    }

    @Test("A stream that fails ends the task with its error", arguments: Contestant.transports)
    func failing(contestant: Contestant) async throws {
        let body = RequestBody.stream { throw AppError(code: 5) }
        let error = await server.send(try server.upload("/stream/report", body), contestant.source()).error
        #expect((error as? ServiceError)?.reason == .invalidRequest)
        #expect((error as? ServiceError)?.underlying as? AppError == AppError(code: 5))
    }

    #if canImport(FoundationNetworking)
        @Test("A sequence is an error over URLSession on Linux")
        func sequence() async throws {
            let request = try server.upload("/stream/report", .parts(MadeParts(count: 1, size: 1)))
            let error = await server.send(request, URLSessionDataSource()).error as? ServiceError
            #expect(error?.reason == .invalidRequest)
            #expect(server.connectionCount == 0)
        }
    #endif

    @Test("A stub records its bytes")
    func stub() async throws {
        let stub = StubDataSource().stub(.POST, "/a", .status(204))
        let file = try TemporaryFile(Data("file".utf8))
        for body in [.file(file.url), .parts(MadeParts(count: 2, size: 2))] as [RequestBody] {
            let request = URLRequest.to("http://h/a") {
                $0.httpMethod = "POST"
                $0.streamedBody = body
            }
            #expect(await Call(request, stub).resumed().outcome.status == 204)
        }
        #expect(stub.requests.map(\.httpBody) == [Data("file".utf8), Data([1, 1, 2, 2])])
    }
}
