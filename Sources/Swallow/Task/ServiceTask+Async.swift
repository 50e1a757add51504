import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The response for async code.
///
/// An `await` joins the chain where it is called: it waits for the handlers attached before it and sees the state
/// that they leave. It starts a task that was never started. An error that it throws doesn't fail the chain. When its
/// Swift task is cancelled, it ends at once with `.cancelled`; the request ends too if nothing but progress handlers is
/// attached to it.
extension ServiceTask {
    /// The body as received. Nothing is parsed for it.
    ///
    /// Throws the failure of the request, the status check, the pipeline or a handler attached before.
    public var data: Data {
        get async throws(ServiceError) { try await read(.bytes) { try $0.bytes() }.get() }
    }

    /// The response's head and its body as received; throws as ``data`` does.
    public var response: (head: HTTPURLResponse, data: Data) {
        get async throws(ServiceError) {
            let (head, data) = try await read(.bytes) { try $0.headAndBytes() }.get()
            return (head, data)
        }
    }

    /// The body as JSON, whatever its content type: parsed once, off the main thread.
    ///
    /// Throws as ``data`` does, and `.emptyBody` or `.unparsable`, with the place, where the body isn't JSON.
    public var json: JSON {
        get async throws(ServiceError) { try await read(.json) { try $0.json() }.get() }
    }

    /// The body as text, decoded by its charset. Without a charset it is read as UTF-8, or as windows-1252 if it isn't UTF-8.
    ///
    /// Throws as ``data`` does, and `.unparsable` where the charset isn't known, or the bytes are illegal in it.
    public var text: String {
        get async throws(ServiceError) { try await read(.text) { try $0.text() }.get() }
    }

    /// The body decoded from JSON, off the main thread, as the service's ``Configuration/jsonDecoding`` says. An empty
    /// body gives nil for an optional type. For `URL`, the value is the file of a download.
    ///
    /// Throws as ``json`` does, and `.undecodable`, whose `underlying` is the `DecodingError`, where it doesn't fit.
    public func decoded<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self
    ) async throws(ServiceError) -> Value {
        try await read(.json) { try $0.decodableValue(as: type, by: .body) }.get()
    }

    /// The body read from JSON by a decoding, off the main thread.
    ///
    /// Throws as ``json`` does, and `.undecodable`, whose `underlying` is the ``DecodingFailure``, where it doesn't fit.
    public func decoded<Value: Sendable>(
        with decoding: Decoding<Value>
    ) async throws(ServiceError) -> Value {
        try await read(.json) { try $0.decodedJSON(with: decoding) }.get()
    }

    /// The pipeline's content, or what a `transform` or `recover` has put in its place, if it has the type asked for.
    ///
    /// Throws as ``data`` does, and `.contentMismatch`, which names both types, if it has another type.
    public func content<Content: Sendable>(
        as type: Content.Type = Content.self
    ) async throws(ServiceError) -> Content {
        try await read(.entity) { try $0.value(as: type, by: .content) }.get()
    }

    /// A value with what the server said about it, its headers and status: the pipeline's content where it is of the type asked
    /// for, else decoded from JSON, as the service's ``Configuration/jsonDecoding`` says.
    ///
    /// `Data` is the body as received, whatever it is. Throws as ``data`` does, and `.contentMismatch` or `.undecodable` where
    /// it doesn't fit.
    public func entity<Content: Sendable>(
        as type: Content.Type = Content.self
    ) async throws(ServiceError) -> Entity<Content> {
        try await read(.entity) { adapter in
            try adapter.entity().withContent(adapter.value(as: type, by: .contentOrBody))
        }.get()
    }

    /// Waits for the end without reading a value: after a DELETE, say. Nothing is parsed for it. Throws as ``data``
    /// does.
    public func finished() async throws(ServiceError) {
        try await read(.head) { _ in }.get()
    }

    /// The task's outcome: the pipeline's content, or the failure. Never throws.
    public var result: Result<Entity<any Sendable>, ServiceError> {
        get async { await read(.entity) { try $0.entity() } }
    }

    /// The task's failure, or `nil` after a success. It waits for the outcome, as ``result`` does, and never throws.
    ///
    /// ```swift
    /// let error = await service.GET("/stores/41").error
    /// ```
    public var error: ServiceError? {
        get async {
            switch await result {
            case .success: nil
            case .failure(let error): error
            }
        }
    }

    /// The response's head, as soon as it is here: before the body is, and whatever the handlers before do.
    ///
    /// The body goes on, into memory unless it is claimed; with ``ResponseBody/head`` it waits instead. If the status
    /// isn't acceptable or no response comes, this throws as ``response`` does.
    public var head: HTTPURLResponse {
        get async throws(ServiceError) { try await earlyHead.get() }
    }

    /// The head of a success, or why there is none.
    var earlyHead: Result<HTTPURLResponse, ServiceError> {
        get async {
            await read(.head, watchingBy: { resume in self.watchHead(resume) }) { try $0.successHead() }
        }
    }

    /// Reads the content when the handler chain gets to this call.
    ///
    /// - Parameter watch: may give the value earlier.
    func read<Value: Sendable>(
        _ need: PipelineAdapter.Need,
        watchingBy watch: ((@escaping @Sendable (Value) -> Void) -> Void)? = nil,
        _ reading: @escaping @Sendable (PipelineAdapter) throws -> Value
    ) async -> Result<Value, ServiceError> {
        let ticket = nextTicket()
        let reader = Reader<Value>()
        // An actor's thread isn't for parsing.
        let isolation: (any Actor)? = #isolation
        let cancel: @Sendable () -> Void = { [request] in
            self.abandon(ticket) { reader.resume(.failure(ServiceError(.cancelled, request: request))) }
        }
        let result = await withTaskCancellationHandler {
            let early = await withCheckedContinuation { continuation in
                reader.wait(continuation)
                attach(link(ticket, need, worksHere: isolation == nil, reading, reader))
                watch? { [weak self] value in
                    reader.resume(.success(value))
                    self?.detach(ticket)
                }
                // A cancellation that came before `attach` found no link to abandon.
                if Task.isCancelled { cancel() } else { resumeIfCreated() }
            }
            if let early { return early }
            advance(on: .awaiter(ticket))
            return reader.result ?? .failure(ServiceError(.cancelled, request: request))
        } onCancel: {
            cancel()
        }
        return result.mapError { error in error.after(core.withLock { $0.exchange.attempt.sent }) }
    }

    private func link<Value: Sendable>(
        _ ticket: HandlerChain.Ticket, _ need: PipelineAdapter.Need, worksHere: Bool,
        _ reading: @escaping @Sendable (PipelineAdapter) throws -> Value, _ reader: Reader<Value>
    ) -> HandlerLink {
        let succeed: HandlerLink.SuccessHandler = { [request] adapter in
            do {
                reader.resume(.success(try reading(adapter)))
            } catch {
                let failure = ServiceError(thrown: error, request: request, response: adapter.head)
                reader.resume(.failure(failure.with(adapter.errorEntity)))
            }
            return nil
        }
        let takeTurn: HandlerLink.Turn? = worksHere ? { @Sendable in reader.takeTurn() } : nil
        let queue = need.takesWork ? DispatchQueue.workplace : nil
        return HandlerLink(queue, need, ticket: ticket, takeTurn: takeTurn, onSuccess: succeed) { error in
            reader.resume(.failure(error))
            return nil
        }
    }
}

/// The continuation of an `await`, resumed once: by the handler chain or by a cancellation.
private final class Reader<Value: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Result<Value, ServiceError>?, Never>

    private struct State: Sendable {
        var continuation: Continuation?
        /// The result that the `await` read itself when it had the turn.
        var result: Result<Value, ServiceError>?
    }

    private let state = Lock(State())

    func wait(_ continuation: Continuation) {
        state.withLock { $0.continuation = continuation }
    }

    /// Resumes the `await`, once.
    func resume(_ result: Result<Value, ServiceError>) {
        let continuation = state.withLock { state in
            if state.continuation == nil, state.result == nil { state.result = result }
            return state.continuation.take()
        }
        continuation?.resume(returning: result)
    }

    /// Resumes the `await` without a result, to advance the chain itself; false if it was resumed before.
    func takeTurn() -> Bool {
        guard let continuation = state.withLock({ $0.continuation.take() }) else { return false }
        continuation.resume(returning: nil)
        return true
    }

    var result: Result<Value, ServiceError>? { state.withLock { $0.result } }
}
