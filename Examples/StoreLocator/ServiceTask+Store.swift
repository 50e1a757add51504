import Swallow

extension ServiceTask {
    /// Hands one store to the handler.
    @discardableResult
    func responseAsStore(_ handler: @escaping @MainActor (Store) throws -> Void) -> Self {
        responseContent(as: Store.self, handler)
    }
}
