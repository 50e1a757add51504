import Foundation
import Swallow
import SwallowTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The guide's test servers")
struct ServerSamples {
    @Test func aLostConnectionIsRetried() async throws {
        let server = try await TestServer(
            .json([["id": 41, "name": "Squirrel Hill"]]).reset(.inBody),
            .json([["id": 41, "name": "Squirrel Hill"]]))
        let service = WebService(baseURL: server.url)

        let stores = try await service.GET("/stores", options: [.retry(.standard)]).decoded(as: [Store].self)

        #expect(stores.count == 1)
        #expect(server.requests.map(\.path) == ["/stores", "/stores"])
    }

    @Test("respond with a closure, and show what was sent")
    func closure() async throws {
        let server = try await TestServer { request in
            switch (request.method, request.path) {
            case ("GET", "/stores"): .json([["id": 41, "zip": .string(request.query("zip") ?? "")]])
            case ("POST", "/stores"): .json(request.json, status: 201, headers: ["Location": "/stores/42"])
            default: .status(404)
            }
        }
        let service = WebService(baseURL: server.url)
        _ = try await service.POST("/stores", options: [.json(["name": "Squirrel Hill"])]).data

        let upload = await server.request(0)
        #expect(upload.method == "POST")
        #expect(upload.json["name"] == "Squirrel Hill")
        #expect(upload[.contentType] == "application/json")

        #expect(try await service.searchStores(zipCode: "15217").json[0]["zip"] == "15217")
    }

    @Test("respond in order")
    func script() async throws {
        let server = try await TestServer(.status(503), .json(["id": 41]))
        let service = WebService(baseURL: server.url)
        let error = await #expect(throws: ServiceError.self) { try await service.GET("/").data }
        #expect(error?.statusCode == 503)
        #expect(try await service.GET("/").json["id"] == 41)
    }

    @Test("fail as a response says")
    func failures() async throws {
        let server = try await TestServer(
            .json(["id": 41]).reset(.inBody),
            .text("slow").trickled(bytes: 1, every: .milliseconds(50)),
            .json(["id": 41]))
        let service = WebService(baseURL: server.url)
        await #expect(throws: ServiceError.self) { try await service.GET("/").data }
        #expect(try await service.GET("/").text == "slow")
        #expect(try await service.GET("/").json["id"] == 41)

        server.enqueue(.text("lost").reset(.beforeHead))
        server.enqueue(.text("cut off").closed(.inBody))
        server.enqueue(.text("silent").stalled(.inHead))
        server.enqueue(.text("slow").trickled(bytes: 1, every: .milliseconds(20)))
        server.enqueue(.text("short").contentLength(100))
        server.enqueue(.text("last").closingConnection())
        server.enqueue(.raw(Data("not HTTP\r\n\r\n".utf8)))

        for _ in 0..<2 {
            await #expect(throws: ServiceError.self) { try await service.POST("/").data }
        }
        var slow = service
        let clock = ManualClock()
        slow.clock = clock
        let silent = slow.POST("/", options: [.timeout(.seconds(30))])
        _ = await server.request(5)
        clock.advance(by: .seconds(30))
        let timeout = await #expect(throws: ServiceError.self) { try await silent.data }
        #expect(timeout?.reason == .timedOut)
        #expect(try await service.POST("/").text == "slow")
        await #expect(throws: ServiceError.self) { try await service.POST("/").data }
        #expect(try await service.POST("/").text == "last")
        await #expect(throws: ServiceError.self) { try await service.POST("/").data }
    }

    @Test("refuse connections")
    func refusing() async throws {
        let nobody = try await TestServer.refusing()
        let service = WebService(baseURL: nobody.url)
        let error = await #expect(throws: ServiceError.self) { try await service.GET("/stores").data }
        #expect(error?.userMessage == "The server could not be reached.")
    }

    @Test("limit the requests of a connection")
    func requestsPerConnection() async throws {
        let server = try await TestServer(requestsPerConnection: 2) { request in .text(request.path) }
        let service = service(server)
        for _ in 0..<3 { #expect(try await service.GET("/a").text == "/a") }
        // The standard data source may close an idle connection when other tests need more.
        #expect(server.connectionCount >= 2)
    }

    @Test("hold a response")
    func held() async throws {
        let server = try await TestServer()
        let service = service(server)
        let gate = Gate()
        server.enqueue(.json([]).held(by: gate))
        let task = service.GET("/stores")
        try await gate.arrivals()
        #expect(task.state == .running)

        gate.open()
        #expect(try await task.json == [])
    }

    @Test("send events")
    func events() async throws {
        let (events, source) = AsyncStream<ServerSentEvent>.makeStream()
        let server = try await TestServer { _ in .events(events) }
        let service = service(server)
        var received = service.GET("/prices").events.makeAsyncIterator()

        source.yield(ServerSentEvent(event: "price", data: "41"))
        #expect(try await received.next()?.data == "41")

        source.finish()
        #expect(try await received.next() == nil)
    }

    /// Returns a service whose requests don't time out while other tests keep the machine busy.
    private func service(_ server: TestServer) -> WebService {
        var service = WebService(baseURL: server.url)
        service.configure { $0.timeout = .seconds(3600) }
        return service
    }

    @Test("serve URLSession")
    func urlSession() async throws {
        let server = try await TestServer { request in
            request.path == "/stores" ? .json([["id": 41]]) : .status(404)
        }
        let (data, _) = try await URLSession.shared.data(from: server.url.appending(path: "stores"))
        #expect(server.requests.map(\.path) == ["/stores"])
        #expect(try JSON(parsing: data)[0]["id"] == 41)
    }
}

@Suite("The guide's contract")
struct ContractSamples {
    @Test(arguments: DataSourceContract.cases)
    func requestLogKeepsThePromise(_ contractCase: DataSourceContract.Case) async throws {
        let dataSource = RequestLog(base: URLSessionDataSource()) { print($0) }
        try await contractCase.run(over: dataSource)
    }

    @Test(arguments: DataSourceContract.cases)
    func fixturesKeepThePromise(_ contractCase: DataSourceContract.Case) async throws {
        try await contractCase.run { base in
            Fixtures { request in
                try await withCheckedThrowingContinuation { continuation in
                    base.dataTask(with: request) { data, response, error in
                        guard let data, let response else {
                            return continuation.resume(throwing: error ?? URLError(.unknown))
                        }
                        continuation.resume(returning: (data, response))
                    }.resume()
                }
            }
        }
    }

    @Test(arguments: DataSourceContract.cases)
    func requestLogKeepsThePromiseWithoutServer(_ contractCase: DataSourceContract.Case) async throws {
        try await contractCase.run { base in RequestLog(base: base) { print($0) } }
    }
}
