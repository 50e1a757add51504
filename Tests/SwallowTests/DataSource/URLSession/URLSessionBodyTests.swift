import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A streamed body that URLSession requests again")
struct URLSessionBodyTests {
    private let server: LoopbackServer
    private let source = URLSessionDataSource()
    private let opened = Recorder<Int>()

    init() throws {
        server = try LoopbackServer()
    }

    private func stream(_ bytes: Data) -> RequestBody {
        .stream { [opened] in
            opened.append(1)
            return InputStream(data: bytes)
        }
    }

    /// Returns a session's transfer for a request, as an exchange creates it.
    private func transfer(_ request: URLRequest) throws -> SessionTransfer {
        try #require(source.transfer(for: request) as? SessionTransfer)
    }

    private func read(_ stream: InputStream?) -> Data? {
        guard let stream else { return nil }
        stream.open()
        defer { stream.close() }
        var (data, buffer) = (Data(), [UInt8](repeating: 0, count: 65_536))
        while case let count = stream.read(&buffer, maxLength: buffer.count), count != 0 {
            if count < 0 { return nil }
            data.append(contentsOf: buffer.prefix(count))
        }
        return data
    }

    @Test("Each time the session requests the body, it receives a new stream with the complete body")
    func again() async throws {
        let bytes = LoopbackServer.octets(300_000)
        let task = try transfer(try server.upload("/echo", stream(bytes), "POST"))
        #expect(opened.values.isEmpty)
        for _ in 0..<3 {
            #expect(try await onThread { self.read(task.newBodyStream()) } == bytes)
        }
        #expect(opened.values.count == 3)
        task.cancel()
    }

    @Test("A body that can be sent only once fails the second time")
    func once() async throws {
        var request = try server.request("/echo", "POST")
        request.httpBodyStream = InputStream(data: LoopbackServer.octets(300_000))
        let task = try transfer(request)
        #expect(try await onThread { self.read(task.newBodyStream()) }?.count == 300_000)
        #expect(try await onThread { self.read(task.newBodyStream()) } == nil)
        task.cancel()
    }

    #if !canImport(FoundationNetworking)
        // On Linux, a session proposes no credential, whatever its storage contains.
        @Test("After a challenge that the session answers, the complete body is sent again")
        func challenged() async throws {
            let space = URLProtectionSpace(
                host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: "loopback",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
            let credential = URLCredential(user: "user", password: "secret", persistence: .forSession)
            URLCredentialStorage.shared.setDefaultCredential(credential, for: space)
            let bytes = LoopbackServer.octets(300_000)
            let request = try server.upload("/basic-auth/user/secret", stream(bytes), "POST")
            #expect(await server.send(request, source).json["authenticated"] == true)
            #expect(server.requests.map(\.body) == [bytes, bytes])
        }
    #endif

    @Test("Each attempt has its own stream")
    func streams() throws {
        let body = stream(Data("a".utf8))
        var request = try server.request("/echo", "POST")
        request.streamedBody = body
        let (prepared, asked) = try request.withSessionBody()
        #expect(prepared.httpBodyStream == nil && asked != nil)
        let (first, second) = (body.startSending(after: 0).0, body.startSending(after: 0).0)
        #expect(first !== second && opened.values.isEmpty)
    }

    @Test("A body in memory is set on the request, so the session can send it again")
    func inMemory() throws {
        var request = try server.request("/echo", "POST")
        request.streamedBody = .data(Data("a".utf8))
        let (prepared, asked) = try request.withSessionBody()
        #expect(prepared.httpBody == Data("a".utf8) && asked == nil)
    }
}
