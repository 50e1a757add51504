import Foundation
import Swallow
import SwallowTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Export: Decodable, Sendable {
    let status: String
    let url: URL?
}

extension WebService {
    func finishedExport(id: Int, within limit: TimeInterval = 60) async throws -> Export {
        let end = clock.now.addingTimeInterval(limit)
        while true {
            let left = Duration.seconds(end.timeIntervalSince(clock.now))
            let export = try await GET("/exports/\(id)", options: [.timeout(left)]).decoded(as: Export.self)
            if export.status != "running" { return export }
            guard clock.now.addingTimeInterval(2) < end else { throw ServiceError.timedOut }
            try await clock.sleep(for: .seconds(2))
        }
    }
}

extension WebService {
    func stores(ids: [Int], limit: Int = 4) async throws -> [Store] {
        try await withThrowingTaskGroup(of: Store.self) { group in
            var stores: [Store] = []
            for (index, id) in ids.enumerated() {
                if index >= limit, let store = try await group.next() { stores.append(store) }
                group.addTask { try await GET("/stores/\(id)").decoded() }
            }
            for try await store in group { stores.append(store) }
            return stores
        }
    }
}

actor RequestLimit {
    private var free: Int
    private var waiting: [(id: UUID, turn: CheckedContinuation<Void, any Error>)] = []

    init(_ count: Int) { free = count }

    func enter() async throws {
        if free > 0 {
            free -= 1
            return
        }
        let id = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting.append((id, $0)) }
        } onCancel: {
            Task { await cancel(id) }
        }
    }

    func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().turn.resume() }
    }

    private func cancel(_ id: UUID) {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: place).turn.resume(throwing: CancellationError())
    }
}

struct FormErrors: Decodable, Sendable {
    let message: String
    let fields: [String: String]
}

extension ServiceError {
    var formErrors: FormErrors? { try? json.decode(FormErrors.self) }
}

@Suite("The guide's recipes for requests and responses")
struct RequestRecipeSamples {
    private let stub = StubDataSource()
    private let clock = ManualClock()
    private let squirrelHill: JSON = ["id": 41, "name": "Squirrel Hill"]
    private var service: WebService {
        var service = WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
        service.clock = clock
        return service
    }

    @Test("poll until an export is complete")
    func polling() async throws {
        let running = StubResponse.json(["status": "running"])
        let done = StubResponse.json(["status": "done", "url": "https://api.example.com/export.zip"])
        stub.stub(.GET, "/exports/7", .sequence([running, running, done]))
        stub.stub(.GET, "/exports/8", running)
        let service = service

        let polling = Task { try await service.finishedExport(id: 7) }
        while await !clock.run(until: polling) {}
        #expect(try await polling.value.url?.lastPathComponent == "export.zip")
        #expect(stub.count(.GET, "/exports/7") == 3)

        let endless = Task { try await service.finishedExport(id: 8, within: 3) }
        while await !clock.run(until: endless) {}
        await #expect { try await endless.value } throws: { ($0 as? ServiceError)?.reason == .timedOut }
    }

    @Test("limit how many requests run at the same time")
    func concurrency() async throws {
        let gate = Gate()
        stub.stub(.GET, "/stores/*", .json(squirrelHill).held(by: gate))
        let service = service
        let loading = Task { try await service.stores(ids: [1, 2, 3], limit: 2) }
        try await gate.arrivals(2)
        #expect(stub.requests.count == 2)
        gate.open()
        #expect(try await loading.value.count == 3)
        #expect(stub.requests.count == 3)
    }

    @Test("limit how many requests of a service run at the same time")
    func limits() async throws {
        let gate = Gate()
        stub.stub(.GET, "/stores/*", .json(squirrelHill).held(by: gate))
        var service = service
        let limit = RequestLimit(4)
        let limited = service.dataSource.intercepting { request, next in
            try await limit.enter()
            do {
                let response = try await next(request)
                _ = try await response.data  // waits for the end of the body
                await limit.leave()
                return response
            } catch {
                await limit.leave()
                throw error
            }
        }
        service.dataSource = limited
        let tasks = (1...6).map { service.GET("/stores/\($0)") }
        try await gate.arrivals(4)
        let sent = Set(stub.requests.compactMap(\.url?.lastPathComponent))
        let waiting = tasks.filter { !sent.contains(String($0.request.urlString.suffix(1))) }
        #expect(sent.count == 4 && waiting.count == 2)
        waiting.first?.cancel()
        gate.open()
        var cancellations = 0
        for task in tasks where await task.error?.isCancelled == true { cancellations += 1 }
        #expect(cancellations == 1 && stub.requests.count == 5)
    }

    @Test("force a refresh")
    func refresh() async throws {
        let headers: Headers = ["ETag": "\"1\"", "Cache-Control": "max-age=600"]
        stub.stub(.GET, "/stores", .json([squirrelHill], headers: headers))
        stub.stub(.GET, "/stores", headers: ["If-None-Match": "\"1\""], .status(304, headers: headers))
        let service = service.configured { configuration in
            configuration.cachePolicy = .standard
            configuration.pipeline[.parsing].cacheUsing(MemoryCache())
        }
        for _ in 0..<2 { _ = try await service.GET("/stores").data }
        #expect(stub.requests.count == 1)

        let newest = try await service.GET("/stores", options: [.cachePolicy(.validate)])
            .decoded(as: [Store].self)
        #expect(newest.count == 1 && stub.request(1)[.ifNoneMatch] == "\"1\"")

        let noCache: [Request.Option] = [.header(.cacheControl, "no-cache")]
        #expect(try await service.GET("/stores", options: noCache).decoded(as: [Store].self) == newest)
        #expect(stub.requests.count == 3)

        stub.stub(.GET, "/stores", .failure(URLError(.notConnectedToInternet)))
        let current = try await service.GET("/stores", options: [.cachePolicy(.networkFirst)])
            .decoded(as: [Store].self)
        #expect(current == newest && stub.requests.count == 4)
        let options: [Request.Option] = [.cachePolicy(.preferCache(maxAge: .seconds(300)))]
        let recent = try await service.GET("/stores", options: options).decoded(as: [Store].self)
        let known = await service.GET("/stores", options: [.cachePolicy(.onlyCache)]).result
        #expect(recent == newest && stub.requests.count == 4)
        #expect(try known.get().isFromCache)
        #expect(await service.GET("/stores", options: [.cachePolicy(.reload)]).error != nil)
        #expect(await service.GET("/stores", options: noCache).error != nil)
        #expect(await service.GET("/stores", options: [.cachePolicy(.ignore)]).error != nil)
    }

    @Test("stop redirects for one request")
    func redirects() async throws {
        stub.stub(.GET, "/moved", .status(302, headers: ["Location": "/stores/41"]))
        let service = service
        let options: [Request.Option] = [.redirects(.doNotFollow), .acceptableStatusCodes(200..<400)]
        let head = try await service.GET("/moved", options: options).response.head
        print(head.value(forHTTPHeaderField: "Location") ?? "no redirect")
        #expect(head.statusCode == 302 && stub.requests.count == 1)
        let rejected = await service.GET("/moved", options: [.redirects(.doNotFollow)]).error
        #expect(rejected?.reason == .unacceptableStatus)
    }

    @Test("read the status and the header fields beside a model")
    func entities() async throws {
        stub.stub(.GET, "/stores", .json([squirrelHill], headers: ["X-Total-Count": "90", "ETag": "\"1\""]))
        let service = service
        let entity = try await service.GET("/stores").entity(as: [Store].self)
        print(entity.content.count, "of", entity.headers["X-Total-Count"] ?? "?")
        print(entity.statusCode ?? 0, entity.headers[.eTag] ?? "")
        #expect(entity.headers["X-Total-Count"] == "90" && entity.statusCode == 200)
    }

    @Test("follow the location of a 201")
    func locations() async throws {
        stub.stub(.POST, "/stores", .status(201, headers: ["Location": "/v1/stores/43"]))
        stub.stub(.GET, "/v1/stores/43", .json(["id": 43, "name": "Greenfield"]))
        let service = service
        let task = service.POST("/stores", options: [.json(["name": "Greenfield"])])
        let created = try await task.response.head
        if let location = created.value(forHTTPHeaderField: "Location"),
            let url = URL(string: location, relativeTo: created.url)
        {
            let store = try await service.GET(url.absoluteURL).decoded(as: Store.self)
            print(store.id)
        }
        #expect(stub.request(1).url == "https://api.example.com/v1/stores/43")
    }

    @Test("decode the body of an error")
    func errorBodies() async throws {
        let errors: JSON = ["message": "The form has errors.", "fields": ["name": "A store has a name."]]
        stub.stub(.POST, "/stores", .json(errors, status: 422))
        let service = service
        var message = ""
        do throws(ServiceError) {
            _ = try await service.POST("/stores", options: [.json(["name": ""])]).data
        } catch {
            message = error.formErrors?.fields["name"] ?? error.userMessage
        }
        #expect(message == "A store has a name.")
        #expect(ServiceError.timedOut.formErrors == nil)
    }

    @Test("change the defaults that the guide lists")
    func defaults() async throws {
        var service = service
        service.configure { configuration in
            configuration.timeout = .seconds(30)
            configuration.retry = .standard
            configuration.acceptableStatusCodes = [200..<300, 304]
            configuration.parameterEncoding = .json
            configuration.jsonDecoding.dateDecodingStrategy = .secondsSince1970
            configuration.cachePolicy = .standard
            configuration.pipeline[.rawData].cacheUsing(MemoryCache())
        }
        stub.stub(.POST, "/visits", .json([0]))
        let dates = try await service.POST("/visits", parameters: ["store": 41]).decoded(as: [Date].self)
        #expect(dates == [Date(timeIntervalSince1970: 0)])
        #expect(stub.request(0).json == ["store": 41])
    }
}
