import Foundation
import LoopbackServer
import Testing
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The URLSession data source")
struct URLSessionDataSourceTests {
    private let server: LoopbackServer
    private let service: WebService

    init() throws {
        server = try LoopbackServer()
        service = WebService(baseURLString: server.baseURLString)
    }

    @Test(
        "A 401 response without credentials fails with status 401 and its body",
        arguments: ["/basic-auth/user/password", "/unauthorized", "/status/401"])
    func unauthorized(path: String) async {
        let result = await service.GET(Request.Path(path)).result
        #expect { try result.get() } throws: { error in
            let error = error as? ServiceError
            return error?.statusCode == 401 && error?.reason == .unacceptableStatus
                && (error?.text ?? error?.json["message"].string)?.isEmpty == false
        }
    }

    @Test("A configured Authorization header authenticates the request")
    func authorized() async throws {
        var service = service
        let credentials = Data("user:password".utf8).base64EncodedString()
        service.configure { $0.headers[.authorization] = "Basic \(credentials)" }
        #expect(try await service.GET("/basic-auth/user/password").head.statusCode == 200)
    }

    @Test("A thousand services share few connections")
    func connectionReuse() async throws {
        for batch in 0..<20 {
            let tasks = (0..<50).map { index in
                // The machine may be busy with other tests for minutes.
                WebService(baseURLString: server.baseURLString).GET(
                    "/bytes/\(batch * 50 + index)", options: [.timeout(.seconds(3600))])
            }
            for (index, task) in tasks.enumerated() {
                #expect(try await task.data.count == batch * 50 + index)
            }
        }
        #expect(server.requests.count == 1000)
        #expect(server.connectionCount <= 100)
    }

    @Test(
        "A faulty server fails the request with one transport error",
        arguments: [
            "close-before-head", "reset-before-head", "reset-mid-body", "truncated", "garbage",
            "broken-chunk",
        ])
    func faults(fault: String) async {
        let result = await service.GET(Request.Path("/fault/\(fault)")).result
        #expect { try result.get() } throws: { ($0 as? ServiceError)?.reason.isTransport == true }
    }

    @Test("A refused connection and an unknown host are transport errors")
    func unreachable() async throws {
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let refused = await WebService(baseURLString: port.baseURLString).GET("/").result
        #expect(refused.failure?.transportCode == .cannotConnectToHost)
        let unknown = await WebService(baseURLString: "http://unknown.invalid").GET("/").result
        #expect(unknown.failure?.transportCode == .cannotFindHost)
    }

    @Test("A timeout fails a request that stalls, and closes its connection")
    func stall() async {
        let result = await service.GET("/fault/stall", options: [.timeout(.milliseconds(50))]).result
        #expect(result.failure?.reason == .timedOut)
        await server.connectionsClosed()
    }

    @Test("The configuration's resource timeout includes redirects")
    func resourceTimeout() async {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForResource = 0.05
        let source = URLSessionDataSource(configuration: configuration)
        let service = WebService(baseURLString: server.baseURLString, dataSource: source)
        let result = await service.GET("/redirect-to?url=/fault/stall").result
        #expect(result.failure?.reason == .timedOut)
    }

    @Test("A cancelled request closes its connection")
    func cancel() async {
        let task = service.GET("/fault/stall", options: [.timeout(.century)])
        _ = await server.request(at: 0)
        task.cancel()
        #expect(await task.result.failure?.reason == .cancelled)
        await server.connectionsClosed()
    }

    @Test(
        "Bodies arrive completely with a length, in chunks and slowly",
        arguments: [
            ("/bytes/300000", 300_000), ("/chunked/50", 440), ("/drip?chunks=5&bytes=60000&every=1", 300_000),
        ])
    func bodies(path: String, count: Int) async throws {
        #expect(try await service.GET(Request.Path(path)).data.count == count)
    }

    @Test("A gzip body is decompressed")
    func gzip() async throws {
        #expect(try await service.GET("/gzip").json["gzipped"] == true)
    }

    @Test("HEAD succeeds without a body")
    func head() async throws {
        let task = service.HEAD("/json")
        #expect(try await task.data.isEmpty)
        #expect(try await task.result.get().headers[.contentLength] != nil)
    }

    @Test("A task that is suspended and cancelled before its start completes and sends nothing")
    func notResumed() async throws {
        let url = try #require(URL(string: server.baseURLString + "/json"))
        let errors = Recorder<(any Error)?>()
        let dataTask = URLSessionDataSource().dataTask(with: URLRequest(url: url)) { _, _, error in
            errors.append(error)
        }
        dataTask.suspend()
        dataTask.cancel()
        dataTask.resume()
        dataTask.cancel()
        #expect((await errors.first(1)[0] as? URLError)?.code == .cancelled)
        #expect(errors.values.count == 1)
        #expect(server.requests.isEmpty)
    }

    @Test("An app's own session works as a data source")
    func plainSession() async throws {
        let service = WebService(
            baseURLString: server.baseURLString, dataSource: URLSession(configuration: .ephemeral))
        #expect(try await service.POST("/echo", parameters: ["a": 1]).json["form"]["a"] == "1")
        let task = service.GET("/fault/stall", options: [.timeout(.century)])
        _ = await server.request(at: 1)
        task.cancel()
        #expect(await task.result.failure?.reason == .cancelled)
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
