import Foundation
import Swallow
import SwallowTesting
import Testing

@testable import App

@MainActor
struct StoreTests {
    private let stub = StubDataSource()

    @Test func searchShowsTheStores() async {
        stub.stub(.GET, "/stores", query: ["zip": "15217"], .json([["id": 41, "name": "Squirrel Hill"]]))
        let screen = StoreScreen(.stores(dataSource: stub))

        _ = await screen.search("15217").result

        #expect(screen.stores == [Store(id: 41, name: "Squirrel Hill")])
        #expect(stub.requests.count == 1)
    }

    @Test func theServersWordsAreShown() async {
        stub.stub(.GET, "/stores", .json(["message": "There is no store around 1."], status: 404))
        let screen = StoreScreen(.stores(dataSource: stub))

        await screen.refresh("1")

        #expect(screen.message == "There is no store around 1.")
    }

    @Test func offlineTheLastStoresAreThere() async {
        let answer = StubResponse.json([["id": 41, "name": "Squirrel Hill"]])
        stub.stub(.GET, "/stores", .sequence([answer, .failure(URLError(.notConnectedToInternet))]))
        let screen = StoreScreen(.stores(dataSource: stub).configured { $0.retry = .never })

        await screen.refresh("15217")
        await screen.refresh("15217")

        #expect(screen.stores.count == 1 && screen.message.isEmpty)
    }
}
