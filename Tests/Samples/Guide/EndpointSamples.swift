import Swallow

struct Store: Codable, Equatable, Sendable {
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
    func responseAsStores(_ handler: @escaping Handler<[Store]>) -> Self {
        responseDecoded(handler)
    }
}
