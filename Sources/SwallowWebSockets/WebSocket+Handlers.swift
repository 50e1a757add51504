import Dispatch
import Foundation
import Swallow

struct WebSocketHandlers: Sendable {
    /// Calls a handler, and returns after it. Throws the handler's error.
    typealias MessageHandler = @Sendable (WebSocket.Message) async throws -> Void
    typealias ErrorHandler = @Sendable (ServiceError) async -> Void

    var messageHandlers: [MessageHandler] = []
    var errorHandlers: [ErrorHandler] = []
    var isReading = false
}

extension WebSocket {
    /// Handles each message on the main actor. The handlers of a message run in the order attached, and the next message
    /// waits for them.
    ///
    /// Attach the handlers in one chain, directly after creating the WebSocket. Handlers keep it open until it is closed,
    /// and no loop can read it. If a handler throws, the error goes to ``responseError(_:)``.
    @discardableResult
    public func responseMessage(_ handler: @escaping @MainActor (Message) throws -> Void) -> Self {
        add { message in try await MainActor.run { try handler(message) } }
    }

    /// Handles each message on a queue. See ``responseMessage(_:)``.
    @discardableResult
    public func responseMessage(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (Message) throws -> Void
    ) -> Self {
        add { message in try await Self.run(on: queue) { try handler(message) } }
    }

    /// Handles each message on the main actor, decoded from JSON with the service's `jsonDecoding`. A message that can't
    /// be decoded goes to ``responseError(_:)``.
    @discardableResult
    public func responseMessage<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, _ handler: @escaping @MainActor (Value) throws -> Void
    ) -> Self {
        add { [options = json.decoding] message in
            let value = try JSON(parsing: message.data).decode(type, options: options)
            try await MainActor.run { try handler(value) }
        }
    }

    /// Handles each message on a queue, decoded from JSON with the service's `jsonDecoding`. A message that can't be
    /// decoded goes to ``responseError(_:)``.
    @discardableResult
    public func responseMessage<Value: Decodable & Sendable>(
        _ queue: DispatchQueue, as type: Value.Type = Value.self,
        _ handler: @escaping @Sendable (Value) throws -> Void
    ) -> Self {
        add { [options = json.decoding] message in
            let value = try JSON(parsing: message.data).decode(type, options: options)
            try await Self.run(on: queue) { try handler(value) }
        }
    }

    /// Handles errors on the main actor: the errors of messages, and the error with which the WebSocket ends.
    @discardableResult
    public func responseError(_ handler: @escaping @MainActor (ServiceError) -> Void) -> Self {
        addErrorHandler { error in await MainActor.run { handler(error) } }
    }

    /// Handles errors on a queue: the errors of messages, and the error with which the WebSocket ends.
    @discardableResult
    public func responseError(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (ServiceError) -> Void
    ) -> Self {
        addErrorHandler { error in try? await Self.run(on: queue) { handler(error) } }
    }
}

extension WebSocket {
    private func add(_ handler: @escaping WebSocketHandlers.MessageHandler) -> Self {
        attach { $0.messageHandlers.append(handler) }
    }

    private func addErrorHandler(_ handler: @escaping WebSocketHandlers.ErrorHandler) -> Self {
        attach { $0.errorHandlers.append(handler) }
    }

    private func attach(_ change: (inout WebSocketHandlers) -> Void) -> Self {
        let isFirst = handlers.withLock { handlers in
            change(&handlers)
            defer { handlers.isReading = true }
            return !handlers.isReading
        }
        // The Swift task keeps the WebSocket open.
        if isFirst { Task { await self.readForHandlers() } }
        return self
    }

    private func readForHandlers() async {
        do throws(ServiceError) {
            while let message = try await core.next() {
                do {
                    for handler in handlers.withLock({ $0.messageHandlers }) { try await handler(message) }
                } catch {
                    await report(ServiceError(thrown: error, after: nil))
                }
            }
        } catch {
            await report(error)
        }
        // The handlers may hold the WebSocket.
        let released = handlers.withLock { handlers in
            defer { (handlers.messageHandlers, handlers.errorHandlers) = ([], []) }
            return handlers
        }
        withExtendedLifetime(released) {}
    }

    private func report(_ error: ServiceError) async {
        for handler in handlers.withLock({ $0.errorHandlers }) { await handler(error) }
    }

    private static func run(
        on queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Void
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
