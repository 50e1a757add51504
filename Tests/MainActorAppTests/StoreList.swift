import Swallow

// Code of an app whose modules default to the main actor. Models that are decoded off the main thread are
// `nonisolated`.
nonisolated struct Store: Decodable, Sendable {
    let id: Int
    let name: String
}

extension WebService {
    func searchStores(zipCode: String) -> ServiceTask {
        GET("/stores", parameters: ["zip": zipCode])
    }
}

extension ServiceTask {
    @discardableResult
    func responseAsStores(_ handler: @escaping @MainActor ([Store]) throws -> Void) -> Self {
        responseDecoded(as: [Store].self, handler)
    }
}

final class StoreListModel {
    private(set) var stores: [Store] = []
    private(set) var message: String?
    private(set) var isLoading = false
    private let service: WebService

    init(service: WebService) {
        self.service = service
    }

    @discardableResult
    func load(zipCode: String) -> ServiceTask {
        isLoading = true
        return service.searchStores(zipCode: zipCode)
            .responseAsStores { stores in self.stores = stores }
            .responseError { error in self.message = error.userMessage }
            .responseCompleted { _ in self.isLoading = false }
    }

    func reload(zipCode: String) async {
        do {
            stores = try await service.searchStores(zipCode: zipCode).decoded()
        } catch {
            message = error.userMessage
        }
    }

    /// Reports the number of stores on a utility queue.
    func count(zipCode: String, _ report: @escaping @Sendable (Int) -> Void) {
        service.searchStores(zipCode: zipCode).responseDecoded(.utility, as: [Store].self) { stores in
            report(stores.count)
        }
    }
}
