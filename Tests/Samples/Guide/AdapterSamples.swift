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

    @Test("look at what goes out and comes back")
    func intercepting() async throws {
        stub.stub(.GET, "/me", .json(["name": "Ann"]))
        let (standardDataSource, statistics) = (stub, Statistics())
        let dataSource = standardDataSource.intercepting { request, next in
            var request = request
            request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
            let start = ContinuousClock.now
            let response = try await next(request)
            await statistics.add(response.head.statusCode, took: start.duration(to: .now))
            return response
        }
        let service = WebService(baseURLString: "https://api.example.com", dataSource: dataSource)
        #expect(try await service.GET("/me").json["name"].string == "Ann")
        #expect(stub.requests[0].value(forHTTPHeaderField: "X-Request-ID")?.count == 36)
        #expect(await statistics.statuses == [200])
    }
}
