import Foundation

extension ServiceTask {
    /// The type of a success handler on the main actor. Use it to declare your own handler methods.
    ///
    /// ```swift
    /// func responseAsStores(_ handler: @escaping Handler<[Store]>) -> Self { responseDecoded(handler) }
    /// ```
    public typealias Handler<Value> = @MainActor (Value) throws -> Void

    /// The type of a success handler on a queue. If the handler throws, the chain fails.
    public typealias QueueHandler<Value> = @Sendable (Value) throws -> Void

    /// Calls a handler on the main actor with the response's head and bytes as received. If it throws, the chain fails.
    @discardableResult
    public func response(_ handler: @escaping @MainActor (HTTPURLResponse, Data) throws -> Void) -> Self {
        response(.mainActor) { head, data in try MainActor.assumeIsolated { try handler(head, data) } }
    }

    /// Calls a handler on a queue with the response's head and its bytes as received. If it throws, the chain fails.
    @discardableResult
    public func response(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (HTTPURLResponse, Data) throws -> Void
    ) -> Self {
        onSuccess(queue, .bytes) { adapter in
            let (head, data) = try adapter.headAndBytes()
            try handler(head, data)
            return nil
        }
    }

    /// Calls a handler on the main actor with the body as JSON, whatever its content type. Fails the chain with
    /// `.emptyBody` or `.unparsable` if the body isn't JSON.
    @discardableResult
    public func responseJSON(_ handler: @escaping Handler<JSON>) -> Self {
        responseJSON(.mainActor) { json in try MainActor.assumeIsolated { try handler(json) } }
    }

    /// Calls a handler on a queue with the body as JSON. Fails the chain as ``responseJSON(_:)`` does.
    @discardableResult
    public func responseJSON(
        _ queue: DispatchQueue, _ handler: @escaping QueueHandler<JSON>
    ) -> Self {
        onSuccess(queue, .json) { adapter in
            try handler(adapter.json())
            return nil
        }
    }

    /// Calls a handler on the main actor with the body as text. Without a charset, the body is decoded as UTF-8, or as
    /// windows-1252 if it isn't UTF-8. If it can't be decoded, the chain fails with `.unparsable`.
    @discardableResult
    public func responseText(_ handler: @escaping Handler<String>) -> Self {
        responseText(.mainActor) { text in try MainActor.assumeIsolated { try handler(text) } }
    }

    /// Calls a handler on a queue with the body as text. The rest is the same as for ``responseText(_:)``.
    @discardableResult
    public func responseText(
        _ queue: DispatchQueue, _ handler: @escaping QueueHandler<String>
    ) -> Self {
        onSuccess(queue, .text) { adapter in
            try handler(adapter.text())
            return nil
        }
    }

    /// Calls a handler on the main actor with the body, decoded from JSON off the main thread.
    ///
    /// Name the type, or declare it for the closure's parameter: `responseDecoded { (stores: [Store]) in … }`. If a
    /// transformer or handler has returned a model of this type, the handler receives the model. An empty body is `nil`
    /// for an optional type, and otherwise fails the chain with `.emptyBody`. The chain also fails with `.unparsable`,
    /// or with `.undecodable`, whose `underlying` is the decoder's error.
    @discardableResult
    public func responseDecoded<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, _ handler: @escaping Handler<Value>
    ) -> Self {
        responseDecoded(.mainActor, as: type) { value in
            try MainActor.assumeIsolated { try handler(value) }
        }
    }

    /// Calls a handler on a queue with the body, decoded from JSON on that queue. For the main queue, decoding happens
    /// off the main thread. Fails the chain as ``responseDecoded(as:_:)`` does.
    @discardableResult
    public func responseDecoded<Value: Decodable & Sendable>(
        _ queue: DispatchQueue, as type: Value.Type = Value.self, _ handler: @escaping QueueHandler<Value>
    ) -> Self {
        onDecoded(queue, { adapter in try adapter.decodableValue(as: type, by: .body) }, handler)
    }

    /// Calls a handler on the main actor with the value that a decoding reads from the body, off the main thread. Fails
    /// the chain with `.emptyBody`, `.unparsable`, or `.undecodable`, whose `underlying` is the ``DecodingFailure``.
    @discardableResult
    public func responseDecoded<Value: Sendable>(
        with decoding: Decoding<Value>, _ handler: @escaping Handler<Value>
    ) -> Self {
        responseDecoded(.mainActor, with: decoding) { value in
            try MainActor.assumeIsolated { try handler(value) }
        }
    }

    /// Calls a handler on a queue with the value that a decoding reads on that queue. For the main queue, reading
    /// happens off the main thread. Fails the chain as ``responseDecoded(with:_:)`` does.
    @discardableResult
    public func responseDecoded<Value: Sendable>(
        _ queue: DispatchQueue, with decoding: Decoding<Value>,
        _ handler: @escaping QueueHandler<Value>
    ) -> Self {
        onDecoded(queue, { adapter in try adapter.decodedJSON(with: decoding) }, handler)
    }

    /// Calls a handler on the main actor with the pipeline's content. By default, this is ``JSON``, a `String` or another
    /// value, depending on the response's content type.
    ///
    /// Name the type, or declare it in the closure. Content of another type fails the chain with `.contentMismatch`.
    @discardableResult
    public func responseContent<Content: Sendable>(
        as type: Content.Type = Content.self, _ handler: @escaping Handler<Content>
    ) -> Self {
        responseContent(.mainActor, as: type) { value in
            try MainActor.assumeIsolated { try handler(value) }
        }
    }

    /// Calls a handler on a queue with the pipeline's content. Fails the chain as ``responseContent(as:_:)`` does.
    @discardableResult
    public func responseContent<Content: Sendable>(
        _ queue: DispatchQueue, as type: Content.Type = Content.self,
        _ handler: @escaping QueueHandler<Content>
    ) -> Self {
        onSuccess(queue, .entity) { adapter in
            try handler(adapter.value(as: type, by: .content))
            return nil
        }
    }

    private func onDecoded<Value: Sendable>(
        _ queue: DispatchQueue, _ decode: @escaping @Sendable (PipelineAdapter) throws -> Value,
        _ handler: @escaping QueueHandler<Value>
    ) -> Self {
        let read: HandlerLink.SuccessHandler = { adapter in
            let value = try decode(adapter)
            return {
                try handler(value)
                return nil
            }
        }
        return attach(HandlerLink(queue, .json, readsFirst: true, onSuccess: read))
    }

    @discardableResult
    private func onSuccess(
        _ queue: DispatchQueue, _ need: PipelineAdapter.Need, _ handler: @escaping HandlerLink.SuccessHandler
    ) -> Self {
        attach(HandlerLink(queue, need, onSuccess: handler))
    }
}

extension ServiceTask {
    /// Replaces the content for later handlers and `await`s. The closure runs off the main thread.
    ///
    /// ```swift
    /// service.searchStores(zipCode: "15217")
    ///     .transform { (stores: [Store]) in stores.first }
    ///     .responseContent { (nearest: Store) in self.nearest = nearest }
    /// ```
    ///
    /// If the content has the type of the closure's parameter, the closure receives the content. For `Data`, it
    /// receives the body as received. Otherwise, it receives a value decoded from JSON. If that isn't possible, the
    /// chain fails, for example with `.contentMismatch` or `.undecodable`. If the closure returns `nil`, the chain
    /// fails with `.noOutput`. After a failure, the closure isn't called.
    ///
    /// ``responseContent(as:_:)``, ``content(as:)``, ``result`` and ``responseCompleted(_:)`` then receive the new
    /// content. So does ``responseDecoded(as:_:)`` if it decodes that type. ``response(_:)``, ``responseJSON(_:)`` and
    /// ``responseText(_:)`` still read the response. Caches don't store the new content.
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

extension ServiceTask {
    /// Passes the URL of the downloaded file to a handler on the main actor.
    ///
    /// ```swift
    /// let download = service.GET("/map.pdf", options: [.download(to: file)])
    ///     .responseFile { file in self.map = file }
    /// ```
    ///
    /// If the content isn't a `URL`, for example because the request has no download option such as
    /// ``Request/Option/download(to:resumes:createsFolders:)``, the chain fails with `.contentMismatch`.
    @discardableResult
    public func responseFile(_ handler: @escaping Handler<URL>) -> Self {
        responseContent(as: URL.self, handler)
    }

    /// Passes the URL of the downloaded file to a handler on a queue. Fails the chain as ``responseFile(_:)`` does.
    @discardableResult
    public func responseFile(_ queue: DispatchQueue, _ handler: @escaping QueueHandler<URL>) -> Self {
        responseContent(queue, as: URL.self, handler)
    }
}
