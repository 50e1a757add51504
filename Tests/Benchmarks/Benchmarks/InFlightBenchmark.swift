import Foundation
import Support
import Swallow

/// Ten thousand tasks at once, answered all together by another thread: that their handlers keep their order, what
/// it takes, and that the memory comes back.
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

/// What the handlers of one task have done.
private final class Chain: Sendable {
    private let passed = Lock<[Int]>([])

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

/// The memory that this process has; nil where there is no `/proc`.
private var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
}
