import AllocationCounter
import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The allocations and the bytes of heap per task.
let memoryBenchmarks = [
    Benchmark("allocations per task") { () -> [Row] in
        let queue = DispatchQueue(label: "allocations")
        let source = ReadyDataSource()
        return [
            Row(
                "URL, URLRequest and one hop",
                result: allocations { done in floorOperation(on: queue, done) }),
            Row(
                "task with one response(queue)",
                result: allocations { done in
                    inMemoryTask(source).response(queue) { _, _ in done() }
                }),
            Row(
                "task with 21",
                result: allocations { done in
                    let task = inMemoryTask(source)
                    for _ in 1..<21 { task.response(queue) { _, _ in } }
                    task.response(queue) { _, _ in done() }
                }),
        ]
    },
    Benchmark("bytes per in-flight task") { () -> [Row] in
        let queue = DispatchQueue(label: "bytes")
        return [
            Row(
                "URLRequest, kept",
                result: bytesPerObject { _ in URLRequest(url: .made(of: inMemoryURLString)) }),
            Row(
                "task without a handler",
                result: bytesPerObject { source in inMemoryTask(source) }),
            Row(
                "task with one response(queue)",
                result: bytesPerObject { source in
                    inMemoryTask(source).response(queue) { _, _ in }
                } cleanUp: {
                    queue.sync {}
                },
                goal: .result(2048)),
        ]
    },
]

/// The bytes of heap in use, or `nil` if the C library doesn't report them.
var heapBytesInUse: Int? {
    let bytes = allocation_counter_bytes_in_use()
    return bytes < 0 ? nil : bytes
}

/// Returns the average number of allocations per operation, after a warm-up.
private func allocations(
    _ operation: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void
) -> Figure {
    let operations = 1000
    perform(operations, operation)
    allocation_counter_start()
    perform(operations, operation)
    let count = allocation_counter_stop()
    return count < 0 ? .notAvailable : .count(Double(count) / Double(operations))
}

/// Returns the average bytes of heap per object, for 10,000 objects. The data source doesn't complete their requests
/// before the measurement, and its data tasks allocate nothing.
private func bytesPerObject<Object>(
    _ make: (HeldDataSource) -> Object, cleanUp: () -> Void = {}
) -> Figure {
    let count = 10_000
    let source = HeldDataSource(capacity: count)
    var objects: [Object] = []
    objects.reserveCapacity(count)
    guard let before = heapBytesInUse else { return .notAvailable }
    for _ in 0..<count { objects.append(make(source)) }
    let after = heapBytesInUse ?? before
    source.answerAll()
    cleanUp()
    return .bytes(Double(after - before) / Double(count))
}
