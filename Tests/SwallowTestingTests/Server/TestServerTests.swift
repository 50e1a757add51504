import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A test server")
struct TestServerTests {
    @Test("A closure responds, and the server records the requests")
    func closure() async throws {
        let server = try await TestServer { request in
            request.path == "/stores" ? .json(["method": .string(request.method)]) : .status(404)
        }
        var request = URLRequest(url: server.url.appending(path: "stores"))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"name":"Ada"}"#.utf8)
        request.setValue("1", forHTTPHeaderField: "X-Version")
        let (data, response) = try await URLSession.shared.data(for: request)
        #expect(try JSON(parsing: data)["method"] == "POST")
        #expect(
            (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type") == "application/json")
        let (_, missing) = try await URLSession.shared.data(from: server.url.appending(path: "a"))
        #expect((missing as? HTTPURLResponse)?.statusCode == 404)

        #expect(server.requests.map(\.path) == ["/stores", "/a"])
        let sent = await server.request(0)
        #expect(sent["x-version"] == "1")
        #expect(sent.json["name"].string == "Ada")
        #expect(sent.text == #"{"name":"Ada"}"#)
    }

    @Test("Responses are sent in order, and then a request fails with 500")
    func script() async throws {
        let server = try await TestServer(.status(503), .text("second"))
        server.enqueue(.redirect(to: "/next?zip=a%20b"))
        let service = service(server)
        #expect(await service.GET("/").result.failure?.statusCode == 503)
        #expect(try await service.GET("/").text == "second")
        let last = await service.GET("/first").result.failure
        #expect(last?.statusCode == 500)
        #expect(last?.text == "The server has no response left for GET /next?zip=a%20b.")
        #expect(server.requests.map(\.target) == ["/", "/", "/first", "/next?zip=a%20b"])
        #expect(server.requests[3].query("zip") == "a b")
        #expect(server.requests[3].query("name") == nil)
    }

    @Test("A request can be awaited before it arrives, and is empty if it can't arrive")
    func awaited() async throws {
        let server = try await TestServer { _ in .text("ok") }
        async let second = server.request(1)
        for path in ["/0", "/1"] { _ = try await service(server).GET("\(raw: path)").text }
        #expect(await second.path == "/1")
        async let third = server.request(2)
        server.stop()
        #expect(await third.method == "")
        #expect(await server.request(-1).method == "")
    }

    @Test("An error of the closure is a response with status 500")
    func thrown() async throws {
        struct NoStores: Error {}
        let server = try await TestServer { _ in throw NoStores() }
        let error = await service(server).GET("/").result.failure
        #expect(error?.statusCode == 500)
        #expect(error?.text == "The server's closure threw NoStores().")
    }

    @Test("Closures that wait block no thread of Swift's pool")
    func waiting() async throws {
        let mayRespond = Event()
        let server = try await TestServer { _ in
            await mayRespond.wait()
            return .text("ok")
        }
        // URLSession opens six connections to a host.
        let tasks = (0..<6).map { _ in service(server).GET("/") }
        _ = await server.request(5)
        await Task.detached {}.value
        mayRespond.happen()
        for task in tasks { #expect(try await task.text == "ok") }
    }

    @Test("A client that leaves cancels the closure's Swift task")
    func cancelled() async throws {
        let wasCancelled = Event()
        let server = try await TestServer { _ in
            await withTaskCancellationHandler {
                await wasCancelled.wait()
            } onCancel: {
                wasCancelled.happen()
            }
            return .text("late")
        }
        let task = service(server).GET("/")
        _ = await server.request(0)
        task.cancel()
        await wasCancelled.wait()
    }

    @Test("The server stops when its last reference is released")
    func lastReference() async throws {
        var server: TestServer? = try await TestServer { _ in .text("ok") }
        let url = try #require(server?.url)
        _ = try await URLSession.shared.data(from: url)
        server = nil
        let outcome = await Call(URLRequest(url: url), WebService.standardDataSource).resumed().outcome
        #expect(outcome.code == .cannotConnectToHost)
    }

    @Test("A connection serves a limited number of requests")
    func keepAlive() async throws {
        let server = try await TestServer(requestsPerConnection: 2) { _ in .text("ok") }
        // Its own data source, because the standard one may close an idle connection when other tests need more.
        var service = service(server)
        service.dataSource = URLSessionDataSource()
        for _ in 0..<4 { _ = try await service.GET("/").text }
        #expect(server.requests.map(\.connection) == [0, 0, 1, 1])
        #expect(server.connectionCount == 2)
    }

    /// A service whose requests don't time out while the machine is busy with other tests.
    private func service(_ server: TestServer) -> WebService {
        var service = WebService(baseURL: server.url)
        service.configure { $0.timeout = .seconds(3600) }
        return service
    }
}
