import Foundation
import Swallow
import SwallowTesting
import Testing

@MainActor
struct StoreTests {
    private let stub = StubDataSource()

    private func makeScreen() -> StoreScreen {
        var service = WebService.storeLocator(url: "https://api.example.com")
        service.dataSource = stub
        return StoreScreen(service)
    }

    @Test func searchShowsTheStores() async {
        stub.stub(
            .GET, "/stores", query: ["zip": "15217"],
            .json(["stores": [["id": 41, "name": "Squirrel Hill", "street": "1901 Murray Ave"]]]))
        let screen = makeScreen()

        _ = await screen.search("15217").result

        #expect(screen.stores.map(\.name) == ["Squirrel Hill"])
    }

    @Test func theServersWordsAreShown() async {
        stub.stub(.GET, "/stores", .json(["message": "There is no store around 1."], status: 404))
        let screen = makeScreen()

        _ = await screen.search("1").result

        #expect(screen.message == "There is no store around 1.")
    }

    @Test func offlineTheLastStoresAreThere() async {
        let answer = StubResponse.json(["stores": [["id": 41, "name": "Squirrel Hill", "street": ""]]])
        stub.stub(.GET, "/stores", .sequence([answer, .failure(URLError(.notConnectedToInternet))]))
        let screen = makeScreen()

        _ = await screen.search("15217").result
        _ = await screen.search("15217").result

        #expect(screen.stores.count == 1 && screen.message.isEmpty)
    }

    @Test func theFavoriteIsSentAndShown() async {
        stub.stub(
            .GET, "/stores", .json(["stores": [["id": 41, "name": "Squirrel Hill", "street": ""]]]))
        stub.stub(
            .POST, "/stores/41/favorite",
            .json(["id": 41, "name": "Squirrel Hill", "street": "", "isFavorite": true]))
        let screen = makeScreen()
        _ = await screen.search("15217").result

        await screen.toggleFavorite(screen.stores[0])

        #expect(stub.request(1).json == ["favorite": true])
        #expect(screen.stores[0].isFavorite == true)
    }
}
