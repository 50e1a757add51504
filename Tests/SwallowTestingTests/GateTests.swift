import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@Suite("A gate")
struct GateTests {
    private let stub = StubDataSource()
    private let gate = Gate()

    private func call(_ path: Request.Path = "/a") throws -> Call {
        let call = Call(try .test(.GET, path), stub)
        call.task.resume()
        return call
    }

    @Test("A gate holds a response until it is opened, and stays open")
    func open() async throws {
        stub.stub(.GET, "/a", .text("1").held(by: gate))
        let calls = [try call(), try call()]
        try await gate.arrivals(2)
        #expect(gate.waiting == 2)
        #expect(calls.allSatisfy { $0.outcomes.isEmpty })
        gate.open()
        #expect(calls.map(\.texts) == [["1"], ["1"]])
        #expect(gate.waiting == 0)
        #expect(try call().texts == ["1"])
    }

    @Test("open(next:) releases the next requests in order, including requests that arrive later")
    func next() throws {
        stub.stub(.GET, "/a", .text("1").held(by: gate))
        let calls = [try call(), try call()]
        gate.open(next: 1)
        #expect(calls.map(\.texts) == [["1"], []])
        gate.open(next: 2)
        #expect(calls.map(\.texts) == [["1"], ["1"]])
        #expect(try call().texts == ["1"])
        #expect(try call().texts == [])
        gate.open(next: 0)
        gate.open(next: -1)
        #expect(gate.waiting == 1)
        gate.open(next: .max)
        gate.open(next: .max)
        #expect(try call().texts == ["1"])
    }

    @Test("arrivals counts all requests, including released ones and ones that arrive later")
    func arrivals() async throws {
        stub.stub(.GET, "/a", .text("1").held(by: gate))
        async let two: Void = gate.arrivals(2)
        gate.open(next: 1)
        _ = try call()
        _ = try call()
        try await two
        try await gate.arrivals()
        try await gate.arrivals(0)
        #expect(gate.waiting == 1)
    }

    @Test("A cancelled task leaves the gate, and a cancelled wait for arrivals throws")
    func cancelled() async throws {
        stub.stub(.GET, "/a", .text("1").held(by: gate))
        let held = try call()
        held.task.cancel()
        #expect(gate.waiting == 0)
        #expect(held.outcomes.first?.isCancelled == true)
        let waiting = Task { [gate] in try await gate.arrivals(5) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test("A gate holds the response before its delay begins, and several gates hold it one after another")
    func order() async throws {
        let clock = ManualClock()
        let second = Gate()
        stub.stub(.GET, "/a", .text("1").delayed(.seconds(1)).held(by: gate).held(by: second))
        var service = WebService.test(stub)
        service.clock = clock
        let task = service.GET("/a")
        try await gate.arrivals()
        #expect(second.waiting == 0)
        #expect(clock.pending == 0)
        gate.open()
        try await second.arrivals()
        second.open()
        clock.advance(by: .seconds(1))
        #expect(try await task.text == "1")
    }

    @Test("A gate holds elements of a sequence, and responses that a closure returns")
    func nested() throws {
        stub.stub(.GET, "/a", .sequence([.text("1"), .sequence([.text("2")]).held(by: gate)]))
        stub.stub(.GET, "/b", .dynamic { [gate] _ in .text("3").held(by: gate) })
        let calls = [try call(), try call(), try call("/b")]
        #expect(calls.map(\.texts) == [["1"], [], []])
        gate.open()
        #expect(calls.map(\.texts) == [["1"], ["2"], ["3"]])
    }

    @Test("If too few requests arrive in time, arrivals throws an error with the count")
    func tooFew() async {
        let error = await #expect(throws: CheckFailure.self) {
            try await Gate().arrivals(2, within: .milliseconds(20))
        }
        #expect(error.map { "\($0)" } == "0 of 2 requests have arrived at the gate after 0.02 seconds")
    }
}
