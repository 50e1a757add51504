import Swallow
import SwallowTesting
import Testing

/// The tutorial's program. CI also runs it as a separate package.
@MainActor
struct ProgramSteps {
    @Test func theFirstProgramFindsTheStore() async throws {
        let stub = StubDataSource()
        stub.stub(.GET, "/stores", query: ["zip": "15217"], .json([["id": 41, "name": "Squirrel Hill"]]))
        let service = WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)

        let stores = try await service.searchStores(zipCode: "15217").decoded(as: [Store].self)
        for store in stores { print(store.id, store.name) }
        #expect(stores.count == 1)
    }

    @Test func theSecondProgramShowsTheServersWords() async {
        let stub = StubDataSource()
        stub.stub(.GET, "/stores", .json(["message": "There is no such zip code."], status: 404))
        stub.stub(.GET, "/stores", query: ["zip": "15217"], .json([["id": 41, "name": "Squirrel Hill"]]))
        let screen = StoreScreen(.stores(dataSource: stub))

        for zipCode in ["15217", "1"] {
            await screen.refresh(zipCode)
            print(screen.message.isEmpty ? screen.stores.map(\.name) : screen.message)
        }
        #expect(screen.message == "There is no such zip code.")
    }
}
