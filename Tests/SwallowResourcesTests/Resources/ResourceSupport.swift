import Foundation
import SwallowResources
import SwallowTesting
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A store over a server that answers when the test says so, a clock that the test moves, and what observers are told.
@MainActor
final class Bench {
    let source = ManualDataSource()
    let clock = ManualClock()
    let store: ResourceStore
    private(set) var events: [ResourceEvent] = []

    init(_ configure: (inout WebService) -> Void = { _ in }) {
        var service = WebService.test(source, base: "http://service.test/v1")
        service.clock = clock
        configure(&service)
        store = ResourceStore(service: service)
    }

    /// A resource whose events are noted here, but for the one of being added.
    func numbers(_ path: Request.Path = "/numbers") -> Resource<[Int]> {
        let resource = store.resource(path, as: [Int].self)
        resource.addObserver(owner: self) { bench, _, event in
            if event != .observerAdded { bench.events.append(event) }
        }
        return resource
    }

    /// The requests that were made so far, waiting for as many.
    func exchange(_ number: Int) async -> ManualExchange {
        await source.exchanges.first(number)[number - 1]
    }

    var requestCount: Int { source.exchanges.values.count }

    /// Answers a request, and waits until the main actor has been told.
    func answer(_ number: Int, _ body: String, status: Int = 200, headers: [String: String] = [:]) async {
        let fields = ["Content-Type": "application/json"].merging(headers) { $1 }
        await exchange(number).answer(body, status: status, headers: fields)
    }
}
