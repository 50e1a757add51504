import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Stubbed bodies in body parts")
struct StubPartsTests {
    private let stub = StubDataSource()
    private let events = Recorder<String>()
    private let ended = Event()

    private func task() throws -> any DataTask {
        stub.dataTask(with: try .test(.GET, "/a")) { [events, ended] data, response, error in
            let status = (response as? HTTPURLResponse)?.statusCode
            events.append(
                error.map { "\(($0 as? URLError)?.code.rawValue ?? 0)" } ?? "end \(status ?? 0) " + text(data)
            )
            ended.happen()
        }
    }

    private func stream(_ task: any DataTask) {
        task.stream { [events] part in
            switch part {
            case .head(let head): events.append("\(head.statusCode)")
            case .bytes(let bytes): events.append(text(bytes))
            }
        }
    }

    @Test("A streamed body is delivered as head, body parts and completion")
    func streamed() async throws {
        stub.stub(.GET, "/a", .parts([Data("1".utf8), Data(), Data("2".utf8)], status: 201))
        let task = try task()
        stream(task)
        task.resume()
        await ended.wait()
        #expect(events.values == ["201", "1", "2", "end 201 "])
    }

    @Test(
        "Without a receiver, the completion has the complete body",
        arguments: [["1", "2"], ["12"], ["12", ""]])
    func whole(parts: [String]) async throws {
        stub.stub(.GET, "/a", .parts(parts.map { Data($0.utf8) }))
        try task().resume()
        await ended.wait()
        #expect(events.values == ["end 200 12"])
    }

    @Test("A stubbed failure after the body parts fails the task, streamed or not", arguments: [true, false])
    func failure(isStreamed: Bool) async throws {
        stub.stub(.GET, "/a", .parts([Data("1".utf8)], failingWith: URLError(.networkConnectionLost)))
        let task = try task()
        if isStreamed { stream(task) }
        task.resume()
        await ended.wait()
        let code = "\(URLError.Code.networkConnectionLost.rawValue)"
        #expect(events.values == (isStreamed ? ["200", "1", code] : [code]))
    }

    @Test("Each body part waits at the gate, and a receiver that is set late receives the earlier ones")
    func gate() async throws {
        let gate = Gate()
        stub.stub(.GET, "/a", .parts([Data("1".utf8), Data("2".utf8)], heldBy: gate))
        let task = try task()
        task.resume()
        try await gate.arrivals(1)
        gate.open(next: 1)
        try await gate.arrivals(2)
        #expect(task.transferProgress.received == 1)
        stream(task)
        gate.open()
        await ended.wait()
        #expect(events.values == ["200", "1", "2", "end 200 "])
    }

    @Test("A body with 20,000 parts and an open gate is delivered")
    func many() async throws {
        let gate = Gate()
        gate.open()
        stub.stub(.GET, "/a", .parts(Array(repeating: Data("1".utf8), count: 20_000), heldBy: gate))
        let task = try task()
        stream(task)
        task.resume()
        await ended.wait()
        #expect(events.values.count == 20_002)
    }

    @Test("A suspended task receives no body part, and a cancelled task fails")
    func suspended() async throws {
        let gate = Gate()
        stub.stub(.GET, "/a", .parts([Data("1".utf8), Data("2".utf8)], heldBy: gate))
        let task = try task()
        stream(task)
        task.resume()
        task.suspend()
        gate.open(next: 1)
        try await gate.arrivals(2)
        #expect(!events.values.contains("1"))
        task.cancel()
        await ended.wait()
        #expect(events.values.last == "\(URLError.Code.cancelled.rawValue)")
        #expect(!events.values.contains("1"))
        #expect(gate.waiting == 0)
    }
}

private func text(_ data: Data?) -> String { String(decoding: data ?? Data(), as: UTF8.self) }
