import Foundation

/// The same content for async code.
///
/// An `await` joins the chain where it is called: it waits for the handlers attached before it and sees the state
/// that they leave. It starts a task that was never started. What it throws is its own: the chain goes on
/// as it was. When its Swift task is cancelled it ends at once with `.cancelled`, and the request ends too if
/// nothing else is attached to it.
extension ServiceTask {
    /// The body as received.
    public var data: Data {
        get async throws(ServiceError) { try await read(.bytes, readBytes).get() }
    }

    /// The body as JSON, whatever its content type.
    public var json: JSON {
        get async throws(ServiceError) { try await read(.json, readJSON).get() }
    }

    /// The body as text, decoded by its charset, else as UTF-8, else as ISO-8859-1.
    public var text: String {
        get async throws(ServiceError) { try await read(.text, readText).get() }
    }

    /// The body decoded from JSON. An optional type takes an empty body for nil.
    public func decoded<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self
    ) async throws(ServiceError) -> Value {
        try await read(.more, readDecoded(as: type)).get()
    }

    /// The pipeline's content, where it is of the type asked for.
    public func content<Content: Sendable>(
        as type: Content.Type = Content.self
    ) async throws(ServiceError) -> Content {
        try await read(.entity, readContent(as: type)).get()
    }

    /// The task's outcome.
    public var result: Result<Entity<any Sendable>, ServiceError> {
        get async { await read(.entity, readEntity) }
    }

    private func read<Value: Sendable>(
        _ need: ContentAdapter.Need, _ reading: @escaping Reading<Value>
    ) async -> Result<Value, ServiceError> {
        let ticket = nextTicket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                attach(link(need, reading, continuation), ticket)
                // A cancellation before the link was attached has found nothing to abandon.
                if Task.isCancelled { abandon(ticket) } else { resumeIfCreated() }
            }
        } onCancel: {
            abandon(ticket)
        }
    }

    private func link<Value: Sendable>(
        _ need: ContentAdapter.Need, _ reading: @escaping Reading<Value>,
        _ continuation: CheckedContinuation<Result<Value, ServiceError>, Never>
    ) -> HandlerLink {
        HandlerLink(queue: nil, need: need) { [request] content in
            let result = Result { () throws(ServiceError) in try reading(&content) }
                .mapError { error in error.with(request) }
            return { continuation.resume(returning: result) }
        } onFailure: { error in
            continuation.resume(returning: .failure(error))
            return nil
        }
    }
}
