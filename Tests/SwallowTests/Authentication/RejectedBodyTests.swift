import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Body sinks and rejected credentials")
struct RejectedBodyTests {
    private let folder = TemporaryFolder()
    private let target: URL
    private static let content = LoopbackServer.octets(300_000)

    init() throws {
        target = folder.file("target.bin")
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    }

    /// Rejects every token except the new one, with a body of this size.
    private func server(rejecting size: Int) throws -> LoopbackServer {
        try LoopbackServer { request in
            guard request.header("Authorization") == "Bearer new" else {
                return .respond(
                    .data(Data(repeating: 0x21, count: size), contentType: "text/plain", status: 401))
            }
            return .respond(.data(Self.content, contentType: "application/octet-stream"))
        }
    }

    private func service(
        _ source: any SessionDataTaskDataSource = WebService.standardDataSource,
        base: String = "http://service.test", makes token: String = "new"
    ) -> WebService {
        var service = WebService(baseURLString: base, dataSource: source)
        let authenticator = TokenAuthenticator(token: .init("old")) { _ in .init(token) }
        service.configure {
            $0.authenticator = authenticator
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
        }
        return service
    }

    @Test(
        "A download contains the response to the new token, and no bytes of the rejection",
        arguments: [9, 200_000])
    func download(size: Int) async throws {
        for resumes in [true, false] {
            let server = try server(rejecting: size)
            let task = service(base: server.baseURLString)
                .GET("/file", options: [.download(to: target, resumes: resumes)])
            #expect(try await task.content(as: URL.self) == target)
            #expect(try Data(contentsOf: target) == Self.content)
            #expect(folder.names == ["target.bin"])
            #expect(server.requests.map { $0.header("Authorization") } == ["Bearer old", "Bearer new"])
            #expect(task.metrics?.attempts ?? 2 == 2)
            try FileManager.default.removeItem(at: target)
        }
    }

    @Test(
        "A stream delivers the response to the new token, and no bytes of the rejection",
        arguments: [9, 200_000])
    func stream(size: Int) async throws {
        let server = try server(rejecting: size)
        let service = service(base: server.baseURLString)
        var read = Data()
        for try await part in service.GET("/file").body { read += part }
        #expect(read == Self.content)
        #expect(server.requests.count == 2)
        let parts = Recorder<Data>()
        let task = service.GET("/file").responseStream(.utility) { parts.append($0) }
        _ = await task.result
        #expect(parts.values.reduce(Data(), +) == Self.content)
        #expect(server.requests.count == 3)
    }

    @Test("If the new token is rejected as well, no file is written and the error has the rejection's body")
    func rejectedAgain() async throws {
        let server = try server(rejecting: 9)
        let service = service(base: server.baseURLString, makes: "wrong")
        let task = service.GET("/file", options: [.download(to: target)])
        let error = await task.finalError
        #expect(error?.statusCode == 401 && error?.attempts == 2)
        #expect(error?.entity?.content as? String == "!!!!!!!!!")
        #expect(!FileManager.default.fileExists(atPath: target.path))
        let streaming = service.GET("/file")
        await #expect(throws: ServiceError.self) { for try await _ in streaming.body {} }
    }

    @Test(
        "A resumed download that is rejected or receives a 503 continues at the same byte",
        arguments: [401, 503])
    func rest(status: Int) async throws {
        let count = Lock(0)
        let tag = ["ETag": "\"v1\""]
        let server = ServerSource { request in
            let index = count.withLock { count in
                count += 1
                return count
            }
            let answer = Answer.ranged(Self.content, to: request, fields: tag)
            return switch index {
            case 1: answer.truncated(after: 100_000)
            case 2: Answer(status: status, body: Data("no".utf8))
            default: answer
            }
        }
        let task = service(server).GET("/file", options: [.download(to: target)])
        #expect(try await task.content(as: URL.self) == target)
        #expect(try Data(contentsOf: target) == Self.content)
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=99999-", "bytes=99999-"])
        let last = status == 401 ? "Bearer new" : "Bearer old"
        #expect(server.requests.map(\.authorization) == ["Bearer old", "Bearer old", last])
    }
}
