import Foundation
import Swallow
import SwallowResources

/// What resources hold, and what it costs to find one and to tell who observes it.
let resourceBenchmarks = [
    Benchmark("resource: 10 000 with one observer each") { () -> [Row] in
        [Row("bytes each", result: onMainActor { bytesPerResource() }, goal: .result(2048))]
    },
    Benchmark("resource: a notification") { () -> [Row] in
        let contenders = [1, 101, 10_001].map { count in
            Contender("override with \(count) observers", operations: count > 1000 ? 20 : 2000) {
                operations in
                onMainActor {
                    let owners = (0..<count).map { _ in Owner() }
                    let resource = store().resource("/stores", as: [Int].self)
                    for owner in owners {
                        resource.addObserver(owner: owner) { owner, _, _ in owner.count += 1 }
                    }
                    for number in 0..<operations { resource.override(content: [number]) }
                    if owners.contains(where: { $0.count != operations + 1 }) { fail("an event was lost") }
                }
            }
        }
        let measurement = Measurement(contenders)
        return [
            Row(contenders[0].label, cost: measurement.cost(of: 0)),
            Row(contenders[1].label, cost: measurement.cost(of: 1)),
            Row(
                "each further observer", cost: measurement.costOfStep(from: 0, to: 1, steps: 100),
                goal: .cpu(2)),
            Row(contenders[2].label, cost: measurement.cost(of: 2)),
            Row(
                "ten thousand by a hundred", result: .ratio(measurement.ratio(of: 2, to: 1)),
                goal: .result(120, safe: 250)),
        ]
    },
    Benchmark("resource: a look-up in the store, of 1000") { () -> [Row] in
        let contender = Contender("resource(path, as:)", operations: 20_000) { operations in
            onMainActor {
                let store = store()
                let paths = (0..<1000).map { Request.Path("/stores/\($0)") }
                let held = paths.map { store.resource($0, as: [Int].self) }
                for number in 0..<operations {
                    let resource = store.resource(paths[number % 1000], as: [Int].self)
                    if resource !== held[number % 1000] { fail("there are two resources of a path") }
                }
            }
        }
        let filling = Contender("making 1000 of them, each", operations: 1000) { operations in
            onMainActor {
                let store = store()
                let held = (0..<operations).map {
                    store.resource(Request.Path("/stores/\($0)"), as: [Int].self)
                }
                if held.count != operations { fail("resources are missing") }
            }
        }
        let measurement = Measurement([contender, filling])
        return [
            Row(contender.label, cost: measurement.cost(of: 0), goal: .cpu(1)),
            Row(filling.label, cost: measurement.cost(of: 1)),
        ]
    },
]

private final class Owner {
    var count = 0
}

@MainActor
private func store() -> ResourceStore {
    ResourceStore(service: WebService(baseURLString: "http://localhost", dataSource: ReadyDataSource()))
}

/// What one of 10 000 resources of a store takes, with its observer and that one's owner.
@MainActor
private func bytesPerResource() -> Figure {
    let count = 10_000
    let store = store()
    var owners: [Owner] = []
    owners.reserveCapacity(count)
    guard let before = heapBytesInUse else { return .notAvailable }
    for number in 0..<count {
        let owner = Owner()
        store.resource("/stores/\(number)", as: [Int].self)
            .addObserver(owner: owner) { owner, _, _ in owner.count += 1 }
            .override(content: [number])
        owners.append(owner)
    }
    let after = heapBytesInUse ?? before
    if owners.contains(where: { $0.count != 2 }) { fail("an event was lost") }
    return .bytes(Double(after - before) / Double(count))
}

/// Benchmarks run on the main thread.
private func onMainActor<Value: Sendable>(_ body: @MainActor () -> Value) -> Value {
    MainActor.assumeIsolated(body)
}
