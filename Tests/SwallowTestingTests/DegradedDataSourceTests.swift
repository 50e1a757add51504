import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A degraded network")
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

    @Test("The latency delays the request and the response")
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

    @Test("The bandwidth limits the bytes per second in both directions")
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

    @Test("The same seed loses the same requests, and another seed loses others")
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

    @Test("A loss of 0 loses no request, and a loss of 1 loses every request")
    func extremes() async throws {
        #expect(try await service(stub.degraded(loss: 0)).GET("/a").data.count == 1000)
        for _ in 0..<20 {
            let error = await #expect(throws: ServiceError.self) {
                try await service(stub.degraded(loss: 1)).GET("/a").data
            }
            #expect((error?.underlying as? URLError)?.code == .networkConnectionLost)
        }
        // Values out of range are replaced by the nearest valid ones.
        let odd = stub.degraded(latency: .seconds(-1), loss: -3, bandwidth: -1)
        let task = service(odd).GET("/a")
        clock.advance(by: .seconds(1000))
        #expect(try await task.data.count == 1000)
    }

    @Test(
        "A task that is cancelled in any phase completes immediately and leaves no scheduled work",
        arguments: 0..<3)
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

    @Test("A latency range has random delays that are the same for the same seed")
    func latencies() throws {
        func arrivals(_ seed: UInt64) -> [Int] {
            let (clock, stub) = (ManualClock(), StubDataSource().stub(.GET, "/a", .text("1")))
            let source = stub.degraded(latency: .milliseconds(10) ... .milliseconds(50), seed: seed)
            let calls = (0..<20).map { _ in Call(.to("http://h/a"), source) }
            TransferContext.with(clock: clock) { for call in calls { call.task.resume() } }
            var ends = Array(repeating: 0, count: calls.count)
            for time in 1...100 {
                clock.advance(by: .milliseconds(1))
                for (index, call) in calls.enumerated() where ends[index] == 0 && call.answers == 1 {
                    ends[index] = time
                }
            }
            return ends
        }
        let first = arrivals(7)
        #expect(first.allSatisfy { (20...101).contains($0) } && Set(first).count > 5)
        #expect(arrivals(7) == first)
        #expect(arrivals(8) != first)
    }

    @Test("The body parts of a stream are delayed one by one")
    func stream() async throws {
        let server = ByHand()
        let call = StreamCall(
            .to("http://h/a"), server.degraded(latency: .seconds(1), bandwidth: 10)
        ).streaming()
        TransferContext.with(clock: clock) { call.task.resume() }
        clock.advance(by: .seconds(1))
        let transfer = try #require(server.transfers.values.first)
        transfer.giveHead()
        transfer.give("0123456789")
        clock.advance(by: .milliseconds(999))
        #expect(call.partCount == 0)
        clock.advance(by: .milliseconds(1))
        #expect(call.partCount == 1)
        clock.advance(by: .milliseconds(500))
        transfer.give("01234")
        transfer.fields.withLock { $0 = ["Checksum": "abc"] }
        transfer.metrics.withLock { $0 = TransferMetrics(start: clock.now) }
        transfer.end("!")
        clock.advance(by: .milliseconds(500))
        #expect(call.streamed.count == 10)
        clock.advance(by: .seconds(2))
        #expect(await call.body == Data("012345678901234!".utf8))
        #expect(call.problems == [] && clock.pending == 0)
        #expect(call.task.trailers == ["Checksum": "abc"])
        #expect(call.task.transferMetrics != nil)
    }

    @Test("A stream that is requested late is delivered, paused while suspended and dropped after a cancel")
    func lateStream() async throws {
        let server = ByHand()
        let call = StreamCall(.to("http://h/a"), server.degraded(latency: .seconds(1)))
        TransferContext.with(clock: clock) { call.task.resume() }
        clock.advance(by: .seconds(1))
        call.streaming()
        let transfer = try #require(server.transfers.values.first)
        transfer.giveHead()
        transfer.give("1")
        call.task.suspend()
        clock.advance(by: .seconds(1))
        #expect(call.partCount == 0)
        call.task.resume()
        _ = await call.progress.first(2)
        #expect(call.streamed == Data("1".utf8))
        transfer.give("2")
        call.task.cancel()
        clock.advance(by: .seconds(1))
        #expect(await call.outcome.isCancelled)
        #expect(call.partCount == 2 && call.problems == [] && clock.pending == 0)
        #expect(transfer.calls.values == ["resume", "suspend", "resume", "cancel"])
    }

    @Test("A stream that is lost fails, and its transfer is cancelled")
    func lostStream() async throws {
        let server = ByHand()
        let calls = (0..<20).map { _ in
            StreamCall(.to("http://h/a"), server.degraded(latency: .seconds(1), loss: 1)).streaming()
        }
        TransferContext.with(clock: clock) { for call in calls { call.task.resume() } }
        clock.advance(by: .seconds(1))
        for transfer in server.transfers.values { transfer.giveHead() }
        clock.advance(by: .seconds(1))
        for call in calls {
            #expect(await call.outcome.code == .networkConnectionLost)
            #expect(call.partCount == 0)
        }
        #expect(server.transfers.values.allSatisfy { $0.calls.values == ["resume", "cancel"] })
    }

    @Test("Tasks follow the contract while many threads call them", arguments: [0, 200])
    func storm(latencyInMicroseconds: Int) async {
        let parts = (0..<20).map { _ in Data(count: 10) }
        stub.stub(.GET, "/parts", .parts(parts))
        let source = stub.degraded(latency: .microseconds(latencyInMicroseconds), loss: 0.2, seed: 1)
        let calls = (0..<100).map { _ in StreamCall(.to("http://h/parts"), source) }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for (index, call) in calls.enumerated() {
                switch (thread + index) % 5 {
                case 0: call.task.suspend()
                case 1 where index.isMultiple(of: 3): call.task.cancel()
                case 2: call.streaming()
                default: call.task.resume()
                }
            }
        }
        for call in calls {
            call.task.resume()
            let outcome = await call.outcome
            #expect(call.problems == [])
            if outcome.error == nil { #expect(await call.body.count == 200) }
        }
    }

    @Test("A suspended task's response is held until it is resumed")
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
