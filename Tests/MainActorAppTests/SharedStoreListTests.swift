import Observation
import Swallow
import SwallowResources
import SwallowTesting
import Testing

@Suite("An app whose module defaults to the main actor has resources")
struct SharedStoreListTests {
    private let stub = StubDataSource()

    private var resources: ResourceStore {
        stub.stub(.GET, "/stores", query: ["zip": "15217"], .json([["id": 1, "name": "Squirrel Hill"]]))
        return ResourceStore(
            service: WebService(baseURLString: "https://api.example.com", dataSource: stub))
    }

    private final class Screen: ResourceObserver {
        var events: [ResourceEvent] = []

        func resourceChanged(_ resource: any AnyResource, event: ResourceEvent) {
            events.append(event)
        }
    }

    @Test("that a screen shows without state of its own")
    func screen() async throws {
        let list = SharedStoreList(resources, zipCode: "15217")
        list.refresh()
        #expect(list.isLoading && list.names.isEmpty)
        let stores = try await list.stores.loadIfNeeded().value
        #expect(stores.count == 1 && list.names == ["Squirrel Hill"] && !list.isLoading)
    }

    @Test("that fail with a message")
    func failure() async {
        let list = SharedStoreList(resources, zipCode: "99999")
        _ = await list.stores.load().result
        #expect(list.message != nil && list.names.isEmpty)
    }

    @Test("that objects, closures and Observation observe")
    func observers() async {
        let list = SharedStoreList(resources, zipCode: "15217")
        let screen = Screen()
        var changes = 0
        // Even on a slow machine, the stores stay up to date during the test.
        list.stores.expirationTime = .seconds(3600)
        list.stores.addObserver(screen)
        list.stores.addObserver(owner: screen) { screen, stores, event in
            if event == .newData(.network) { changes += stores.latestContent?.count ?? 0 }
        }
        await withCheckedContinuation { continuation in
            withObservationTracking {
                _ = list.names
            } onChange: {
                continuation.resume()
            }
            list.refresh()
        }
        _ = await list.stores.loadIfNeeded().result
        #expect(screen.events == [.observerAdded, .requested, .newData(.network)] && changes == 1)
    }
}
