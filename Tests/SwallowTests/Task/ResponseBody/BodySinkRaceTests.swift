import Foundation
import TestSupport
import Testing

@testable import Swallow

@Suite("Sinks that are set while a body arrives")
struct BodySinkRaceTests {
    private static let rounds = Sanitizer.rounds(300, sanitized: 60)

    /// Whether calls are in the order that `BodySink` documents.
    private func isInOrder(_ calls: [String]) -> Bool {
        let names = calls.map { $0.prefix { $0 != " " } }
        let ends = names.filter { $0 == "fail" || $0 == "complete" }
        guard !ends.isEmpty, names.filter({ $0 == "begin" }).count <= 1 else { return false }
        if names.contains("receive") || names.contains("complete") {
            guard names[0] == "begin" else { return false }
        }
        return names.filter { $0 == "fail" }.count <= 1 && names.filter { $0 == "complete" }.count <= 1
            && !names.suffix(from: names.firstIndex { $0 == ends[0] } ?? 0).contains("receive")
    }

    @Test(
        "A sink receives its calls in order, exactly one completion, and every byte or an error")
    func sinks() async throws {
        for round in 0..<Self.rounds {
            let source = StreamingDataSource()
            let task = WebService.test(source).GET("/")
            let exchange = await source.exchange
            let sink = RecordingSink()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { exchange.answer("a", "b", "c") }
                group.addTask { try? task.writeBody(to: sink) }
                if round % 3 == 1 { group.addTask { task.cancel() } }
                if round % 3 == 2 {
                    group.addTask {
                        task.suspend(); task.resume()
                    }
                }
            }
            let result = await task.result
            var known = sink.calls.values
            while known.last.map({ $0.hasPrefix("fail") || $0 == "complete" }) != true {
                known = await sink.calls.first(known.count + 1)
            }
            let calls = sink.calls.values
            #expect(isInOrder(calls), "\(calls)")
            if case .success = result {
                let bytes = calls.filter { $0.hasPrefix("receive") }.map { $0.dropFirst(8) }.joined()
                #expect(bytes == "abc", "\(calls)")
            }
        }
    }

    @Test(
        "Releasing a body, leaving its loop or cancelling it while it arrives completes the task")
    func drops() async throws {
        for round in 0..<Self.rounds {
            let source = StreamingDataSource()
            do {
                let task = WebService.test(source).GET("/")
                let exchange = await source.exchange
                let body = task.body
                let reading = Task {
                    var count = 0
                    for try await _ in body {
                        count += 1
                        if count == round % 4 { break }
                    }
                }
                exchange.head()
                exchange.send("a")
                if round % 3 == 0 { reading.cancel() }
                exchange.send("b")
                exchange.end()
                _ = await reading.result
                _ = await task.result
                #expect(task.state == .completed)
                await exchange.delivered()
                exchange.cancel()
                await exchange.delivered()
            }
        }
    }
}
