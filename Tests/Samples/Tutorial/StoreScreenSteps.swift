import Observation
import Swallow
import SwallowTesting
import Testing

/// The screen in the tutorial's step before it shows failures.
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

/// The screen in the tutorial's step before a caller can await it.
enum SecondStep {
    @MainActor @Observable
    final class StoreScreen {
        private let service: WebService
        private(set) var stores: [Store] = []
        private(set) var message = ""

        init(_ service: WebService) {
            self.service = service
        }

        @discardableResult
        func search(_ zipCode: String) -> ServiceTask {
            service.searchStores(zipCode: zipCode)
                .responseAsStores { stores in
                    self.stores = stores
                    self.message = ""
                }
                .responseError { error in self.message = error.userMessage }
        }
    }
}

@MainActor
struct StepTests {
    @Test func theFirstScreenShowsTheStores() async {
        let stub = StubDataSource()
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        let screen = FirstStep.StoreScreen(.stores(dataSource: stub))

        _ = await screen.search("15217").result

        #expect(screen.stores.count == 1)
    }

    @Test func theSecondScreenShowsFailures() async {
        let stub = StubDataSource()
        stub.stub(.GET, "/stores", .status(404))
        let screen = SecondStep.StoreScreen(.stores(dataSource: stub))

        _ = await screen.search("15217").result

        #expect(screen.stores.isEmpty && !screen.message.isEmpty)
    }
}
