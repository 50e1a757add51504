import Swallow

extension ServiceTask {
    /// Hands a list of stores to the handler.
    @discardableResult
    func responseAsStores(_ handler: @escaping @MainActor ([Store]) throws -> Void) -> Self {
        responseContent(as: [Store].self, handler)
    }
}
