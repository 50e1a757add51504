import Dispatch

extension ServiceTask {
    /// Replaces the content for later handlers and `await`s. The closure runs off the main thread, and computes the new
    /// content from the pipeline's content.
    ///
    /// ```swift
    /// service.searchStores(zipCode: "15217")
    ///     .transform { (stores: [Store]) in stores.first }
    ///     .responseContent { (nearest: Store) in self.nearest = nearest }
    /// ```
    ///
    /// If the pipeline's content has the type of the closure's parameter, the closure receives the content. For `Data`,
    /// it receives the body as received. Otherwise, it receives a value decoded from JSON. If that isn't possible, the
    /// chain fails with `.contentMismatch`, `.unparsable` or `.undecodable`. If the closure returns `nil`, the chain
    /// fails with `.noOutput`. After a failure, the closure isn't called.
    ///
    /// ``responseContent(as:_:)``, ``content(as:)``, ``result`` and ``responseCompleted(_:)`` then receive the new
    /// content. So does ``responseDecoded(as:_:)`` if it decodes that type. ``response(_:)``, ``responseJSON(_:)`` and
    /// ``responseText(_:)`` still read the response's own bytes. Caches store the pipeline's content.
    @discardableResult
    public func transform<Content: Sendable, NewContent: Sendable>(
        _ transform: @escaping @Sendable (Content) throws -> NewContent?
    ) -> Self {
        self.transform(.userInitiated, transform)
    }

    /// Replaces the content for later handlers and `await`s, with a closure on a queue. See ``transform(_:)``.
    @discardableResult
    public func transform<Content: Sendable, NewContent: Sendable>(
        _ queue: DispatchQueue, _ transform: @escaping @Sendable (Content) throws -> NewContent?
    ) -> Self {
        let read: HandlerLink.SuccessHandler = { adapter in
            let content = try adapter.value(as: Content.self, by: .contentOrBody)
            return {
                guard let newContent = try transform(content) else {
                    throw ServiceError(.noOutput, detail: "the task's transform returned nil")
                }
                return newContent
            }
        }
        return attach(HandlerLink(queue, .entity, readsFirst: true, onSuccess: read))
    }
}
