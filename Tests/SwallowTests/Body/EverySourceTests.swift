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

    @Test(
        "A file of any size arrives", arguments: Contestant.transports,
        [0, 1, 65_535, 65_536, 262_144, 3_000_000])
    func sizes(contestant: Contestant, size: Int) async throws {
        let bytes = LoopbackServer.octets(size)
        let file = try TemporaryFile(bytes)
        let request = try server.upload("/stream/report", .file(file.url), "POST")
        let report = await server.send(request, contestant.source()).json
        #expect(report["length"].int == size && report["sum"].int == LoopbackServer.checksum(bytes))
    }

    @Test(
        "A stream is opened for each sending, and for none that isn't made", arguments: Contestant.transports,
        [303, 307, 308])
    func openings(contestant: Contestant, status: Int) async throws {
        let (bytes, opened) = (LoopbackServer.octets(100_000), Recorder<Int>())
        let body = RequestBody.stream {
            opened.append(1)
            return InputStream(data: bytes)
        }
        let path = "/redirect-to?url=\(status == 303 ? "/echo" : "/stream/report")&status=\(status)"
        let call = Call(try server.upload(path, body, "POST"), contestant.source())
        #expect(opened.values.isEmpty)
        let outcome = await call.resumed().outcome
        #expect(opened.values.count == (status == 303 ? 1 : 2))
        if status == 303 {
            #expect(outcome.json["method"] == "GET" && !outcome.json["headers"]["content-length"].exists)
        } else {
            #expect(outcome.json["sum"].int == LoopbackServer.checksum(bytes))
        }
    }

    @Test(
        "A foreign stream is sent once: a redirect that keeps it is an error",
        arguments: Contestant.transports)
    func foreign(contestant: Contestant) async throws {
        let (bytes, source) = (LoopbackServer.octets(1_000_000), contestant.source())
        var request = try server.request("/stream/report", "PUT")
        request.httpBodyStream = InputStream(data: bytes)
        #expect(await server.send(request, source).json["sum"].int == LoopbackServer.checksum(bytes))
        request.httpBodyStream = InputStream(data: bytes)
        request.url = URL(string: server.baseURLString + "/redirect-to?url=/stream/report&status=307")
        #expect((await server.send(request, source).error as? ServiceError)?.reason == .invalidRequest)
    }

    @Test("A stream with another length than it said is an error", arguments: Contestant.transports, [9, 11])
    func wrongLength(contestant: Contestant, length: Int64) async throws {
        let body = RequestBody.stream(length: length) { InputStream(data: Data(count: 10)) }
        let outcome = await server.send(try server.upload("/stream/report", body), contestant.source())
        let error = try #require(outcome.error as? ServiceError)
        #expect(error.reason == .invalidRequest && "\(error)".contains("\(length) bytes"))
    }

    @Test(
        "A cancel while it is sent ends the task once", arguments: Contestant.transports)
    func cancelled(contestant: Contestant) async throws {
        let file = try TemporaryFile(LoopbackServer.octets(30_000_000))
        let call = Call(try server.upload("/stream/stall", .file(file.url)), contestant.source()).resumed()
        _ = await server.request(at: 0)
        call.task.cancel()
        #expect(await call.outcome.isCancelled && call.answers == 1)
    }

    @Test("A refusal before the body's end is the response", arguments: Contestant.transports)
    func refused(contestant: Contestant) async throws {
        let file = try TemporaryFile(LoopbackServer.octets(100_000))
        let request = try server.upload("/stream/refuse", .file(file.url), "POST")
        #expect(await server.send(request, contestant.source()).status == 413)
    }

    @Test("Bytes that were sent are counted", arguments: Contestant.transports)
    func progress(contestant: Contestant) async throws {
        let file = try TemporaryFile(LoopbackServer.octets(50_000))
        let call = Call(try server.upload("/stream/report", .file(file.url)), contestant.source())
        _ = call.task.transferProgress
        #expect(await call.resumed().outcome.error == nil)
        #expect(call.task.transferProgress.sent == 50_000)
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
