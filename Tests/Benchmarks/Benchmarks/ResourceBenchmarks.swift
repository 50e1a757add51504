import Foundation
import Swallow
import SwallowResources
import SwallowTesting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The memory of resources, and the cost of lookups, notifications, refresh intervals and pages.
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
                    if resource !== held[number % 1000] { fail("a path has two resources") }
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
    Benchmark("resource: a tick of 10 000 intervals") { () -> [Row] in
        let contenders = [("each, if all are due", 10_000), ("each, if one is due", 1)].map { label, due in
            let intervals = onMainActor { Intervals(due: due) }
            return Contender(label, operations: 20 * Intervals.count, goal: .cpu(2)) { operations in
                onMainActor { intervals.tick(max(1, operations / Intervals.count)) }
            }
        }
        let measurement = Measurement(contenders)
        return contenders.indices.map {
            Row(contenders[$0].label, cost: measurement.cost(of: $0), goal: contenders[$0].goal)
        }
    },
    Benchmark("resource: growth of a list by a page of 10") { () -> [Row] in
        let contenders = [100, 1000].map { count in
            Contender("each of \(count) pages", operations: count) { operations in
                onMainActor { readPages(operations) }
            }
        }
        let measurement = Measurement(contenders)
        return [
            Row(contenders[0].label, cost: measurement.cost(of: 0)),
            Row(
                contenders[1].label, cost: measurement.cost(of: 1),
                result: .ratio(measurement.ratio(of: 1, to: 0)), goal: .result(1.3, safe: 2)),
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

/// Returns the average bytes of heap per resource, for 10,000 resources. Each has an observer and an owner for it.
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

/// A store with 10,000 observed resources. The intervals of the first `due` ones elapse at every tick. Their loads
/// never complete, so a tick sends no requests.
@MainActor
private final class Intervals {
    nonisolated static let count = 10_000
    private let clock = ManualClock()
    private let store: ResourceStore
    private let owner = Owner()

    init(due: Int) {
        var service = WebService(baseURLString: "http://localhost", dataSource: HeldDataSource(capacity: 0))
        service.clock = clock
        service.configure { $0.timeout = nil }
        store = ResourceStore(service: service)
        for number in 0..<Self.count {
            let resource = store.resource("/stores/\(number)", as: [Int].self)
            let interval: Duration = number < due ? .seconds(30) : .seconds(1_000_000_000)
            resource.refreshTriggers = [.every(interval, jitter: 0)]
            resource.addObserver(owner: owner) { _, _, _ in }
            resource.load()
        }
    }

    func tick(_ times: Int) {
        for _ in 0..<times { clock.advance(by: .seconds(31)) }
        if clock.pending != 1 { fail("a store has \(clock.pending) timers") }
    }
}

private struct Post: Codable, Identifiable, Sendable {
    let id: Int
}

@MainActor
private func readPages(_ count: Int) {
    let service = WebService(baseURLString: "http://localhost", dataSource: PostDataSource())
    let store = ResourceStore(service: service)
    let posts = store.pages("/posts", of: Post.self, pagination: .offset(limit: 10))
    var loaded = 0
    func next() {
        posts.loadNextPage().onEnd { result in
            if case .failure(let error) = result { fail("\(error)") }
            loaded += 1
            if loaded < count { next() }
        }
    }
    next()
    while loaded < count { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) }
    if posts.items.count != count * 10 { fail("\(posts.items.count) posts of \(count) pages") }
}

/// Responds with ten posts, starting at the offset in the query.
private struct PostDataSource: SessionDataTaskDataSource {
    func dataTask(with request: URLRequest, completion: @escaping Completion) -> any DataTask {
        let item = request.url?.query()?.split(separator: "&").first { $0.hasPrefix("offset=") }
        let offset = item.flatMap { Int($0.dropFirst("offset=".count)) } ?? 0
        let posts = (offset..<offset + 10).map { #"{"id":\#($0)}"# }.joined(separator: ",")
        return ReadyDataSource(Data("[\(posts)]".utf8), contentType: "application/json")
            .dataTask(with: request, completion: completion)
    }
}

/// Runs a closure on the main actor. Benchmarks already run on the main thread.
private func onMainActor<Value: Sendable>(_ body: @MainActor () -> Value) -> Value {
    MainActor.assumeIsolated(body)
}
