import Observation
import Swallow

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
