import Observation
import Swallow
import SwallowTesting
import Testing

/// The screen before it shows failures.
enum FirstStep {
    @MainActor @Observable
    final class StoreScreen {
        private let service: WebService
        private(set) var stores: [Store] = []

        init(_ service: WebService) {
            self.service = service
        }

        @discardableResult
        func search(_ zipCode: String) -> ServiceTask {
            service.searchStores(zipCode: zipCode)
                .responseAsStores { stores in self.stores = stores }
        }
    }
}

@MainActor
struct FirstStepTests {
    @Test func theFirstScreenShowsTheStores() async {
        let stub = StubDataSource()
        stub.stub(
            .GET, "/stores", .json(["stores": [["id": 41, "name": "Squirrel Hill", "street": ""]]]))
        var service = WebService.storeLocator(url: "https://api.example.com")
        service.dataSource = stub
        let screen = FirstStep.StoreScreen(service)

        _ = await screen.search("15217").result

        #expect(screen.stores.count == 1)
    }
}
