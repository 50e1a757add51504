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
            .responseAsStores { stores in self.stores = stores }
            .responseError { error in self.message = error.userMessage }
    }

    func toggleFavorite(_ store: Store) async {
        do throws(ServiceError) {
            let changed = try await service.setFavorite(store.isFavorite != true, storeID: store.id)
                .content(as: Store.self)
            stores = stores.map { $0.id == changed.id ? changed : $0 }
        } catch {
            message = error.userMessage
        }
    }
}
