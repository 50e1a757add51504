import Dispatch

extension ServiceTask {
    /// Replaces the content for the handlers and `await`s that follow: a closure makes it of the pipeline's, off the
    /// main thread.
    ///
    /// ```swift
    /// service.searchStores(zipCode: "15217")
    ///     .transform { (stores: [Store]) in stores.first }
    ///     .responseContent { (nearest: Store) in self.nearest = nearest }
    /// ```
    ///
    /// The closure's parameter says what it takes: the pipeline's content where it is of that type, the body as received
    /// for `Data`, else what is decoded from JSON; anything else fails the chain with `.contentMismatch`, `.unparsable` or
    /// `.undecodable`. Nil fails it with `.noContent`, and what the closure throws fails it, too. After a failure it is
    /// passed over.
    ///
    /// ``responseContent(as:_:)``, ``content(as:)``, ``result`` and ``responseCompleted(_:)`` then get the new content,
    /// and so does ``responseDecoded(as:_:)`` if it asks for its type. ``response(_:)``, ``responseJSON(_:)`` and
    /// ``responseText(_:)`` still get the response's own bytes, JSON and text. Caches keep what the pipeline made.
    @discardableResult
    public func transform<Content: Sendable, NewContent: Sendable>(
        _ transform: @escaping @Sendable (Content) throws -> NewContent?
    ) -> Self {
        self.transform(.userInitiated, transform)
    }

    /// Replaces the content for the handlers and `await`s that follow: a closure makes it of the pipeline's, on a
    /// queue.
    @discardableResult
    public func transform<Content: Sendable, NewContent: Sendable>(
        _ queue: DispatchQueue, _ transform: @escaping @Sendable (Content) throws -> NewContent?
    ) -> Self {
        let read: HandlerLink.SuccessHandler = { adapter in
            let content = try adapter.value(as: Content.self, by: .contentOrBody)
            return {
                guard let newContent = try transform(content) else {
                    throw ServiceError(.noContent, detail: "the task's transform gave nothing")
                }
                return newContent
            }
        }
        return attach(HandlerLink(queue, .entity, readsFirst: true, onSuccess: read))
    }
}
