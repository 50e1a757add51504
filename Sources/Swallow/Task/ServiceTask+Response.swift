import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ServiceTask {
    /// Hands the response's head and its bytes as received to a handler on the main actor.
    ///
    /// A chain of such handlers never pays for parsing. An error that the handler throws fails the chain.
    @discardableResult
    public func response(_ handler: @escaping @MainActor (HTTPURLResponse, Data) throws -> Void) -> Self {
        handle(on: .mainActor, .bytes, readHead, onMainActor { try handler($0.0, $0.1) })
    }

    /// Hands the response's head and its bytes as received to a handler on a queue.
    @discardableResult
    public func response(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (HTTPURLResponse, Data) throws -> Void
    ) -> Self {
        handle(on: queue, .bytes, readHead) { try handler($0.0, $0.1) }
    }

    /// Hands the body as JSON to a handler on the main actor, whatever its content type.
    ///
    /// Fails the chain with `.emptyBody` or `.unparsable` where it isn't JSON.
    @discardableResult
    public func responseJSON(_ handler: @escaping @MainActor (JSON) throws -> Void) -> Self {
        handle(on: .mainActor, .json, readJSON, onMainActor(handler))
    }

    /// Hands the body as JSON to a handler on a queue, whatever its content type.
    @discardableResult
    public func responseJSON(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (JSON) throws -> Void
    ) -> Self {
        handle(on: queue, .json, readJSON, handler)
    }

    /// Hands the body as text to a handler on the main actor, decoded by its charset, else as UTF-8, else as
    /// ISO-8859-1, whatever its content type.
    ///
    /// Fails the chain with `.unparsable` where the charset is unknown or the bytes are illegal in it.
    @discardableResult
    public func responseText(_ handler: @escaping @MainActor (String) throws -> Void) -> Self {
        handle(on: .mainActor, .text, readText, onMainActor(handler))
    }

    /// Hands the body as text to a handler on a queue, decoded by its charset, else as UTF-8, else as ISO-8859-1.
    @discardableResult
    public func responseText(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (String) throws -> Void
    ) -> Self {
        handle(on: queue, .text, readText, handler)
    }

    /// Hands the body, decoded from JSON off the main thread, to a handler on the main actor.
    ///
    /// An optional type takes an empty body for nil. Fails the chain with `.emptyBody`, `.unparsable` or
    /// `.undecodable`, whose `underlying` is the `DecodingError`.
    @discardableResult
    public func responseDecoded<Value: Decodable & Sendable>(
        as type: Value.Type, _ handler: @escaping @MainActor (Value) throws -> Void
    ) -> Self {
        handle(on: .mainActor, .more, readDecoded(as: type), onMainActor(handler))
    }

    /// Hands the body, decoded from JSON, to a handler on a queue.
    @discardableResult
    public func responseDecoded<Value: Decodable & Sendable>(
        _ queue: DispatchQueue, as type: Value.Type, _ handler: @escaping @Sendable (Value) throws -> Void
    ) -> Self {
        handle(on: queue, .more, readDecoded(as: type), handler)
    }

    /// Hands the pipeline's content to a handler on the main actor: ``JSON``, `String` or `Data`, by the content
    /// type.
    ///
    /// Fails the chain with `.contentMismatch` where it is of another type than the one asked for.
    @discardableResult
    public func responseContent<Content: Sendable>(
        as type: Content.Type, _ handler: @escaping @MainActor (Content) throws -> Void
    ) -> Self {
        handle(on: .mainActor, .entity, readContent(as: type), onMainActor(handler))
    }

    /// Hands the pipeline's content to a handler on a queue.
    @discardableResult
    public func responseContent<Content: Sendable>(
        _ queue: DispatchQueue, as type: Content.Type, _ handler: @escaping @Sendable (Content) throws -> Void
    ) -> Self {
        handle(on: queue, .entity, readContent(as: type), handler)
    }

    private func handle<Value: Sendable>(
        on queue: DispatchQueue, _ need: ContentAdapter.Need, _ read: @escaping Reading<Value>,
        _ handler: @escaping @Sendable (Value) throws -> Void
    ) -> Self {
        let link = HandlerLink(queue: queue, need: need) { content throws(ServiceError) in
            let value = try read(&content)
            return { try handler(value) }
        }
        return attach(link)
    }
}

/// Takes what a handler or an `await` asks for from a response.
typealias Reading<Value> = @Sendable (inout ContentAdapter) throws(ServiceError) -> Value

func readHead(_ content: inout ContentAdapter) throws(ServiceError) -> (HTTPURLResponse, Data) {
    try content.head()
}

func readBytes(_ content: inout ContentAdapter) throws(ServiceError) -> Data {
    try content.bytes()
}

func readJSON(_ content: inout ContentAdapter) throws(ServiceError) -> JSON {
    try content.parsedJSON()
}

func readText(_ content: inout ContentAdapter) throws(ServiceError) -> String {
    try content.decodedText()
}

func readEntity(_ content: inout ContentAdapter) throws(ServiceError) -> Entity<any Sendable> {
    try content.transformedEntity()
}

func readDecoded<Value: Decodable & Sendable>(as type: Value.Type) -> Reading<Value> {
    { content throws(ServiceError) in try content.decoded(as: Value.self) }
}

func readContent<Content: Sendable>(as type: Content.Type) -> Reading<Content> {
    { content throws(ServiceError) in try content.content(as: Content.self) }
}

/// A main-actor handler as one for the main queue.
func onMainActor<Value: Sendable>(
    _ handler: @escaping @MainActor (Value) throws -> Void
) -> @Sendable (Value) throws -> Void {
    { value in try MainActor.assumeIsolated { try handler(value) } }
}
