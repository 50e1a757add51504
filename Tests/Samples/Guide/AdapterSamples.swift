import Foundation
import Swallow
import SwallowTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

enum API {
    static let dataSource = WebService.standardDataSource.coalescing()
    static var service: WebService {
        WebService(baseURLString: "https://api.example.com", dataSource: dataSource)
    }
}

struct Fixtures: SessionDataTaskDataSource {
    let lookUp: @Sendable (URLRequest) async throws -> (Data, URLResponse)

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        FixtureTask(completion) { try await lookUp(request) }
    }
}

final class FixtureTask: DataTask {
    private enum Event {
        case resume, suspend, cancel
        case found(Result<(Data, URLResponse), any Error>)
    }

    private let events: AsyncStream<Event>.Continuation

    init(
        _ completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void,
        lookUp: @escaping @Sendable () async throws -> (Data, URLResponse)
    ) {
        let (stream, events) = AsyncStream<Event>.makeStream()
        self.events = events
        // This Swift task handles all calls in order, and ends with the only call of the completion.
        Task {
            var isRunning = false
            var lookup: Task<Void, Never>?
            var found: Result<(Data, URLResponse), any Error>?
            for await event in stream {
                switch event {
                case .resume where lookup == nil:
                    isRunning = true
                    lookup = Task {
                        do { events.yield(.found(.success(try await lookUp()))) } catch {
                            events.yield(.found(.failure(error)))
                        }
                    }
                case .resume: isRunning = true
                case .suspend: isRunning = false
                case .cancel:
                    lookup?.cancel()
                    return completion(nil, nil, URLError(.cancelled))
                case .found(let result): found = result
                }
                // A suspended task delivers no response.
                guard isRunning, let found else { continue }
                switch found {
                case .success((let data, let response)): return completion(data, response, nil)
                case .failure(let error): return completion(nil, nil, error)
                }
            }
        }
    }

    deinit { events.finish() }

    func resume() { events.yield(.resume) }
    func suspend() { events.yield(.suspend) }
    func cancel() { events.yield(.cancel) }
}

private actor Statistics {
    private(set) var statuses: [Int] = []

    func add(_ status: Int, took: Duration) { statuses.append(status) }
}

@Suite("The README's data source adapters")
struct AdapterSamples {
    private let stub = StubDataSource()

    @Test("send identical requests in flight once")
    func coalescing() async throws {
        var service = API.service
        service.startTasksImmediately = false
        service.dataSource = stub.coalescing()
        let tasks = [service.GET("/stores"), service.GET("/stores"), service.GET("/stores")]
        let answer = StubResponse.json([["id": 41, "name": "Squirrel Hill"]])
        // The stub's closure runs while the first request is in flight, so the second task joins it.
        stub.stub(
            .GET, "/stores",
            .dynamic { _ in
                tasks[1].resume().cancel()
                return answer
            })
        #expect(try await tasks[0].json[0]["id"].int == 41)
        await #expect { try await tasks[1].json } throws: { ($0 as? ServiceError)?.isCancelled == true }
        #expect(stub.requests.count == 1)
        #expect(try await tasks[2].json[0]["id"].int == 41)
        #expect(stub.requests.count == 2)
    }

    @Test("need no base")
    func fixtures() async throws {
        var service = WebService(baseURLString: "https://api.example.com")
        let bodies = ["/me": Data(#"{"name": "Ann"}"#.utf8)]
        service.dataSource = Fixtures { request in
            guard let url = request.url else { throw URLError(.badURL) }
            let body = bodies[url.path]
            let head = HTTPURLResponse(
                url: url, statusCode: body == nil ? 404 : 200, httpVersion: "HTTP/1.1",
                headerFields: ["Content-Type": "application/json"])
            guard let head else { throw URLError(.badURL) }
            return (body ?? Data(), head)
        }
        #expect(try await service.GET("/me").json["name"] == "Ann")
        await #expect { try await service.GET("/you").json } throws: {
            ($0 as? ServiceError)?.isNotFound == true
        }
        let cancelled = service.GET("/me")
        cancelled.cancel()
        await #expect { try await cancelled.data } throws: { ($0 as? ServiceError)?.isCancelled == true }
    }

    @Test("give responses of their own")
    func ownResponses() async throws {
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        let isClosed = true
        let dataSource = service.dataSource.intercepting { request, next in
            guard isClosed else { return try await next(request) }
            return try InterceptedResponse(status: 503, headers: ["Retry-After": "60"], to: request)
        }
        service.dataSource = dataSource
        await #expect { try await service.GET("/me").json } throws: {
            ($0 as? ServiceError)?.statusCode == 503
        }
        #expect(stub.requests.isEmpty)
    }

    @Test("look at what goes out and comes back")
    func intercepting() async throws {
        stub.stub(.GET, "/me", .json(["name": "Ann"]))
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        let statistics = Statistics()
        let dataSource = service.dataSource.intercepting { request, next in
            var request = request
            request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
            let start = ContinuousClock.now
            let response = try await next(request)
            await statistics.add(response.head.statusCode, took: start.duration(to: .now))
            return response
        }
        service.dataSource = dataSource
        #expect(try await service.GET("/me").json["name"].string == "Ann")
        #expect(stub.requests[0].value(forHTTPHeaderField: "X-Request-ID")?.count == 36)
        #expect(await statistics.statuses == [200])
    }
}
