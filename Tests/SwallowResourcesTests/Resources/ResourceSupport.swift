import Foundation
import SwallowResources
import SwallowTesting
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A resource store whose server and clock the test controls. It records the events of observers.
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

    /// Returns a resource whose events are recorded, except `.observerAdded`.
    func numbers(_ path: Request.Path = "/numbers") -> Resource<[Int]> {
        let resource = store.resource(path, as: [Int].self)
        resource.addObserver(owner: self) { bench, _, event in
            if event != .observerAdded { bench.events.append(event) }
        }
        return resource
    }

    /// Returns the request with a number, counted from 1. Waits until it is sent.
    func exchange(_ number: Int) async -> ManualExchange {
        await source.exchanges.first(number)[number - 1]
    }

    var requestCount: Int { source.exchanges.values.count }

    /// Responds to the request with this number, counted from 1.
    func answer(_ number: Int, _ body: String, status: Int = 200, headers: [String: String] = [:]) async {
        let fields = ["Content-Type": "application/json"].merging(headers) { $1 }
        await exchange(number).answer(body, status: status, headers: fields)
    }
}
