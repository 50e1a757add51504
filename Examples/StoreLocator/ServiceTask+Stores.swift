import Swallow

extension ServiceTask {
    /// Hands a list of stores to the handler.
    @discardableResult
    func responseAsStores(_ handler: @escaping @MainActor ([Store]) throws -> Void) -> Self {
        responseJSON { json in try handler(json["stores"].decode()) }
    }
}
