import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@Suite("A bad network")
struct DegradedDataSourceTests {
    private let clock = ManualClock()
    private let stub = StubDataSource()

    init() {
        stub.stub(.GET, "/a", .data(Data(count: 1000))).stub(.POST, "/a", .text("ok"))
    }

    private func service(_ source: some SessionDataTaskDataSource) -> WebService {
        var service = WebService.test(source)
        service.clock = clock
        return service
    }

    @Test("takes its time in both directions")
    func latency() async throws {
        let task = service(stub.degraded(latency: .milliseconds(400))).GET("/a")
        clock.advance(by: .milliseconds(399))
        #expect(stub.requests.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(stub.requests.count == 1)
        clock.advance(by: .milliseconds(399))
        #expect(task.state == .running)
        clock.advance(by: .milliseconds(1))
        #expect(try await task.data.count == 1000)
    }

    @Test("moves so many bytes a second in both directions")
    func bandwidth() async throws {
        let service = service(stub.degraded(bandwidth: 100))
        let download = service.GET("/a")
        clock.advance(by: .milliseconds(9_999))
        #expect(download.state == .running)
        clock.advance(by: .milliseconds(1))
        #expect(try await download.data.count == 1000)
        let upload = service.POST("/a", options: [.body(Data(count: 200), contentType: "a/b")])
        clock.advance(by: .milliseconds(1_999))
        #expect(stub.count(.POST, "/a") == 0)
        clock.advance(by: .milliseconds(21))
        #expect(try await upload.text == "ok")
    }

    @Test("loses the same requests each time for the same seed, and others for another")
    func loss() async throws {
        func lost(_ seed: UInt64) async -> [Int] {
            let service = service(stub.degraded(loss: 0.3, seed: seed))
            var lost: [Int] = []
            for index in 0..<100 {
                let result = await service.GET("/a").result
                guard case .failure(let error) = result else { continue }
                #expect((error.underlying as? URLError)?.code == .networkConnectionLost)
                lost.append(index)
            }
            return lost
        }
        let first = await lost(7)
        #expect((10...50).contains(first.count))
        #expect(await lost(7) == first)
        #expect(await lost(8) != first)
        #expect(await lost(0) != first)
    }

    @Test("loses none, or all, where that is asked for")
    func extremes() async throws {
        #expect(try await service(stub.degraded(loss: 0)).GET("/a").data.count == 1000)
        for _ in 0..<20 {
            let error = await #expect(throws: ServiceError.self) {
                try await service(stub.degraded(loss: 1)).GET("/a").data
            }
            #expect((error?.underlying as? URLError)?.code == .networkConnectionLost)
        }
        // Nonsense is taken for the nearest sense.
        let odd = stub.degraded(latency: .seconds(-1), loss: -3, bandwidth: -1)
        let task = service(odd).GET("/a")
        clock.advance(by: .seconds(1000))
        #expect(try await task.data.count == 1000)
    }

    @Test("ends a task at once that is cancelled, wherever it is, and keeps nothing", arguments: 0..<3)
    func cancelled(phase: Int) async throws {
        let gate = Gate()
        stub.stub(.GET, "/held", .text("1").held(by: gate))
        let task = service(stub.degraded(latency: .seconds(1))).GET("/held")
        if phase > 0 { clock.advance(by: .seconds(1)) }
        if phase > 1 { gate.open() }
        task.cancel()
        #expect(clock.pending == 0)
        #expect(gate.waiting == 0)
        let error = await #expect(throws: ServiceError.self) { try await task.data }
        #expect(error?.isCancelled == true)
    }

    @Test("holds the answer of a suspended task")
    func suspended() async throws {
        let task = service(stub.degraded(latency: .seconds(1))).GET("/a")
        task.suspend()
        clock.advance(by: .seconds(5))
        #expect(task.state == .suspended)
        task.resume()
        clock.advance(by: .seconds(5))
        #expect(try await task.data.count == 1000)
    }
}
