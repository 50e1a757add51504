import Swallow

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
