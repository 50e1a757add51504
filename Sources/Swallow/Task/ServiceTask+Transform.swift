import Dispatch

extension ServiceTask {
    /// Replaces the content for the handlers and `await`s that follow. A closure computes the new content from the
    /// pipeline's content, off the main thread.
    ///
    /// ```swift
    /// service.searchStores(zipCode: "15217")
    ///     .transform { (stores: [Store]) in stores.first }
    ///     .responseContent { (nearest: Store) in self.nearest = nearest }
    /// ```
    ///
    /// The type of the closure's parameter decides which value it receives. It receives the pipeline's content if
    /// that has the type. For `Data`, it receives the body as received. Otherwise, it receives a value decoded from
    /// JSON. If none of these is possible, the chain fails with `.contentMismatch`, `.unparsable` or `.undecodable`. If
    /// the closure returns `nil`, the chain fails with `.noOutput`. An error that the closure throws fails the chain.
    /// After a failure, the closure isn't called.
    ///
    /// ``responseContent(as:_:)``, ``content(as:)``, ``result`` and ``responseCompleted(_:)`` then receive the new
    /// content. ``responseDecoded(as:_:)`` receives it if it requests its type. ``response(_:)``, ``responseJSON(_:)``
    /// and ``responseText(_:)`` still receive the response's own bytes, JSON and text. Caches store the pipeline's
    /// content.
    @discardableResult
    public func transform<Content: Sendable, NewContent: Sendable>(
        _ transform: @escaping @Sendable (Content) throws -> NewContent?
    ) -> Self {
        self.transform(.userInitiated, transform)
    }

    /// Replaces the content for the handlers and `await`s that follow. A closure computes the new content from the
    /// pipeline's content, on a queue.
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
