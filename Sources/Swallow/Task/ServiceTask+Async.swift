import Foundation

/// The functions and properties for async code. An `await` starts the task if necessary. Except for ``head``, it waits
/// for the handlers attached before it. An error of an `await` doesn't fail the chain. If the Swift task is cancelled,
/// a waiting `await` ends with `.cancelled`. The request is also cancelled unless other handlers wait for the response.
extension ServiceTask {
    /// The bytes of the body as received.
    ///
    /// Throws the failure of the request, the status check, the pipeline or an earlier handler.
    public var data: Data {
        get async throws(ServiceError) { try await awaitContent(.bytes) { try $0.bytes() }.get() }
    }

    /// The response's head and its body as received. Throws as ``data`` does.
    public var response: (head: HTTPURLResponse, data: Data) {
        get async throws(ServiceError) {
            let (head, data) = try await awaitContent(.bytes) { try $0.headAndBytes() }.get()
            return (head, data)
        }
    }

    /// The body as JSON, of any content type. Throws like ``data``, and `.emptyBody` or `.unparsable` if it isn't JSON.
    public var json: JSON {
        get async throws(ServiceError) { try await awaitContent(.json) { try $0.json() }.get() }
    }

    /// The body as text. Without a charset, it is decoded as UTF-8, or as windows-1252 if it isn't UTF-8.
    ///
    /// Throws as ``data`` does, and `.unparsable` if the body can't be decoded.
    public var text: String {
        get async throws(ServiceError) { try await awaitContent(.text) { try $0.text() }.get() }
    }

    /// Returns the body, decoded from JSON with the service's ``WebService/Configuration/jsonDecoding``. If a
    /// transformer or handler has returned a model of this type, returns the model. For an empty body and an optional
    /// type, returns `nil`. For a download and `URL`, returns the URL of the file.
    ///
    /// Throws as ``json`` does, and `.undecodable` with the decoder's error as `underlying`.
    public func decoded<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self
    ) async throws(ServiceError) -> Value {
        try await awaitContent(.json) { try $0.decodableValue(as: type, by: .body) }.get()
    }

    /// Returns the value that a decoding reads from the body. Throws as ``json`` does, and `.undecodable` with the
    /// ``DecodingFailure`` as `underlying`.
    public func decoded<Value: Sendable>(
        with decoding: Decoding<Value>
    ) async throws(ServiceError) -> Value {
        try await awaitContent(.json) { try $0.decodedJSON(with: decoding) }.get()
    }

    /// Returns the pipeline's content, or the content that a `transform` or `recover` returned in its place. Throws as
    /// ``data`` does, a parser's error, or `.contentMismatch` if the content has another type.
    public func content<Content: Sendable>(
        as type: Content.Type = Content.self
    ) async throws(ServiceError) -> Content {
        try await awaitContent(.entity) { try $0.value(as: type, by: .content) }.get()
    }

    /// Returns a value with the headers and the status of its response. If the pipeline's content has this type, it is
    /// the value. For `Data`, the value is the body as received. Otherwise, the body is decoded as by ``decoded(as:)``,
    /// but text and models of other types cause `.contentMismatch`. Throws as ``decoded(as:)`` does.
    public func entity<Content: Sendable>(
        as type: Content.Type = Content.self
    ) async throws(ServiceError) -> Entity<Content> {
        try await awaitContent(.entity) { adapter in
            try adapter.entity().withContent(adapter.value(as: type, by: .contentOrBody))
        }.get()
    }

    /// Waits for the success of a task whose body doesn't matter, for example a DELETE. Throws as ``data`` does.
    public func finished() async throws(ServiceError) {
        try await awaitContent(.head) { _ in }.get()
    }

    /// The content with its headers and status, or the failure. A cancellation of the Swift task is also a failure.
    public var result: Result<Entity<any Sendable>, ServiceError> {
        get async { await awaitContent(.entity) { try $0.entity() } }
    }

    /// The failure, or `nil` after a success, as in `await service.GET("/stores/41").error`.
    public var error: ServiceError? {
        get async {
            switch await result {
            case .success: nil
            case .failure(let error): error
            }
        }
    }

    /// The response's head, as soon as it arrives. While the response is arriving, this doesn't wait for handlers.
    ///
    /// The body continues to arrive. To make it wait, use ``ResponseBody/head`` instead. If the response isn't
    /// acceptable, or if there is none, this throws as ``response`` does.
    public var head: HTTPURLResponse {
        get async throws(ServiceError) { try await earlyHead.get() }
    }

    var earlyHead: Result<HTTPURLResponse, ServiceError> {
        get async {
            await awaitContent(.head, watchingBy: { resume in self.watchHead(resume) }) {
                try $0.successHead()
            }
        }
    }

    /// Awaits the value that a closure reads from the outcome. If the closure runs code of the app, it doesn't run on the
    /// transfer's thread.
    func awaitContent<Value: Sendable>(
        _ need: PipelineAdapter.Need, runsAppCode: Bool = false,
        watchingBy watch: ((@escaping @Sendable (Value) -> Void) -> Void)? = nil,
        _ reading: @escaping @Sendable (PipelineAdapter) throws -> Value
    ) async -> Result<Value, ServiceError> {
        let ticket = nextTicket()
        let awaiter = Awaiter<Value>()
        // On an actor, an `await` leaves parsing to a worker, because parsing would block the actor.
        let isolation: (any Actor)? = #isolation
        let cancel: @Sendable () -> Void = { [request] in
            self.abandon(ticket) { awaiter.resume(.failure(ServiceError(.cancelled, request: request))) }
        }
        let result = await withTaskCancellationHandler {
            let early = await withCheckedContinuation { continuation in
                awaiter.wait(continuation)
                attach(
                    link(ticket, need, runsAppCode, worksHere: isolation == nil, reading, awaiter))
                watch? { [weak self] value in
                    awaiter.resume(.success(value))
                    self?.detach(ticket)
                }
                // A cancellation before `attach` found no link to abandon.
                if Task.isCancelled { cancel() } else { resumeIfCreated() }
            }
            if let early { return early }
            advance(on: .awaiter(ticket))
            return awaiter.result ?? .failure(ServiceError(.cancelled, request: request))
        } onCancel: {
            cancel()
        }
        return result.mapError { error in error.after(core.withLock { $0.exchange.attempt.sent }) }
    }

    private func link<Value: Sendable>(
        _ ticket: HandlerChain.Ticket, _ need: PipelineAdapter.Need, _ runsAppCode: Bool, worksHere: Bool,
        _ reading: @escaping @Sendable (PipelineAdapter) throws -> Value, _ awaiter: Awaiter<Value>
    ) -> HandlerLink {
        let succeed: HandlerLink.SuccessHandler = { [request] adapter in
            do {
                awaiter.resume(.success(try reading(adapter)))
            } catch {
                let failure = ServiceError(thrown: error, request: request, response: adapter.head)
                awaiter.resume(.failure(failure.with(adapter.errorEntity)))
            }
            return nil
        }
        let resumeAwait: HandlerLink.ResumeAwait? = worksHere ? awaiter.resumeWithoutResult : nil
        let fail: HandlerLink.FailureHandler = { error in
            awaiter.resume(.failure(error))
            return nil
        }
        return HandlerLink(
            need.takesWork || runsAppCode ? .parsing : nil, need, ticket: ticket, resumeAwait: resumeAwait,
            onSuccess: succeed, onFailure: fail)
    }
}

private final class Awaiter<Value: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Result<Value, ServiceError>?, Never>

    private struct State: Sendable {
        var continuation: Continuation?
        /// The outcome, if it arrives while no continuation waits.
        var result: Result<Value, ServiceError>?
    }

    private let state = Lock(State())

    func wait(_ continuation: Continuation) {
        state.withLock { $0.continuation = continuation }
    }

    func resume(_ result: Result<Value, ServiceError>) {
        let continuation = state.withLock { state in
            if state.continuation == nil, state.result == nil { state.result = result }
            return state.continuation.take()
        }
        continuation?.resume(returning: result)
    }

    func resumeWithoutResult() -> Bool {
        guard let continuation = state.withLock({ $0.continuation.take() }) else { return false }
        continuation.resume(returning: nil)
        return true
    }

    var result: Result<Value, ServiceError>? { state.withLock { $0.result } }
}
