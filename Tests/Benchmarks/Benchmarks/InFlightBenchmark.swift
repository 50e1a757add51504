import Foundation
import Swallow
import Synchronization

/// Starts 10,000 tasks, and completes all of them on another thread. Measures their CPU time and the memory that
/// remains in use. Fails if the handlers of a task run out of order.
let tenThousandInFlight = Benchmark("10 000 in flight, three handlers each") { () -> [Row] in
    let moments = ["before", "after the first", "after the last"]
    var memory = [(heapBytesInUse, residentBytes)]
    runAll()
    memory.append((heapBytesInUse, residentBytes))
    let measurement = Measurement(rounds: 5, [Contender("a task", operations: count) { _ in runAll() }])
    memory.append((heapBytesInUse, residentBytes))
    let memoryRows = zip(moments, memory).flatMap { moment, memory in
        [
            Row("heap in use, \(moment)", result: .init(bytes: memory.0)),
            Row("resident, \(moment)", result: .init(bytes: memory.1)),
        ]
    }
    return [Row("a task", cost: measurement.cost(of: 0))] + memoryRows
}

private let count = 10_000

private func runAll() {
    let source = HeldDataSource(capacity: count)
    let queues = ["first", "second"].map { DispatchQueue(label: "in flight, \($0)") }
    let chains = (0..<count).map { _ in Chain() }
    let group = DispatchGroup()
    for chain in chains {
        group.enter()
        inMemoryTask(source)
            .response(queues[0]) { _, _ in chain.pass(0) }
            .response(queues[1]) { _, _ in chain.pass(1) }
            .response(queues[0]) { _, _ in
                chain.pass(2)
                group.leave()
            }
    }
    Thread.detachNewThread { source.answerAll() }
    group.wait()
    let disordered = chains.count { !$0.isInOrder }
    if disordered > 0 { fail("the handlers of \(disordered) tasks in flight ran out of order") }
}

/// Records the order in which a task's handlers run.
private final class Chain: Sendable {
    private let passed = Mutex<[Int]>([])

    var isInOrder: Bool { passed.withLock { $0 == [0, 1, 2] } }

    func pass(_ place: Int) {
        passed.withLock { $0.append(place) }
    }
}

extension Figure {
    fileprivate init(bytes: Int?) {
        self = bytes.map { .bytes(Double($0)) } ?? .notAvailable
    }
}

/// The bytes of physical memory that this process uses, or `nil` if `/proc/self/statm` can't be read.
private var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
}
