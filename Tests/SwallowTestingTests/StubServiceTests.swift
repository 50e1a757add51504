import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@Suite("A service with a stub")
struct StubServiceTests {
    private struct Store: Decodable, Equatable {
        let id: Int
    }

    private let stub = StubDataSource()

    @Test("A service decodes stubbed responses")
    func decodes() async throws {
        stub.stub(.GET, "/stores", query: ["zip": "15217"], .json([["id": 41]]))
        let service = WebService.test(stub, base: "https://api.example.com/v1")
        let stores = try await service.GET("/stores", parameters: ["zip": "15217"]).decoded(as: [Store].self)
        #expect(stores == [Store(id: 41)])
        #expect(
            stub.requests.map { $0.url?.absoluteString } == ["https://api.example.com/v1/stores?zip=15217"])
    }

    @Test("A service runs its handlers")
    @MainActor func handlers() async {
        stub.stub(.GET, "/stores", .json([["id": 41]]))
        var stores: [Store] = []
        _ = await WebService.test(stub).GET("/stores")
            .responseDecoded(as: [Store].self) { stores = $0 }
            .result
        #expect(stores == [Store(id: 41)])
    }

    @Test("A delayed response can be cancelled")
    func cancels() async {
        stub.stub(.GET, "/stores", .json([]).delayed(.seconds(3600)))
        let task = WebService.test(stub).GET("/stores")
        task.cancel()
        let error = await failure { () throws(ServiceError) in try await task.data }
        #expect(error?.reason == .cancelled)
        #expect(stub.requests.count == 1)
    }

    @Test("A response that is delayed beyond the timeout fails with .timedOut")
    func timesOut() async {
        let clock = ManualClock()
        var service = WebService.test(stub)
        service.clock = clock
        stub.stub(.GET, "/stores", .json([]).delayed(.seconds(3600)))
        let task = service.GET("/stores", options: [.timeout(.seconds(60))])
        clock.advance(by: .seconds(60))
        let error = await failure { () throws(ServiceError) in try await task.data }
        #expect(error?.reason == .timedOut)
    }

    @Test("A task that is cancelled before resume() sends nothing")
    func cancelsBefore() {
        stub.stub(.GET, "/stores", .status(200))
        var service = WebService.test(stub)
        service.startTasksImmediately = false
        let task = service.GET("/stores")
        task.cancel()
        task.resume()
        #expect(stub.requests.isEmpty)
    }
}
