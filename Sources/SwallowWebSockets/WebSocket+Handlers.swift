import Dispatch
import Foundation
import Swallow

struct WebSocketHandlers: Sendable {
    typealias MessageHandler = @Sendable (WebSocket.Message) async throws -> Void
    typealias ErrorHandler = @Sendable (ServiceError) async -> Void

    var messageHandlers: [MessageHandler] = []
    var errorHandlers: [ErrorHandler] = []
    var isReading = false
}

extension WebSocket {
    /// Calls a handler on the main actor with each message. The handlers of a message run in the order attached, and
    /// the next message waits for them.
    ///
    /// Attach the handlers in one chain, directly after creating the WebSocket. They retain it until it is closed.
    /// Don't also read it in a loop. If a handler throws, ``responseError(_:)`` runs instead of the handlers after it.
    @discardableResult
    public func responseMessage(_ handler: @escaping @MainActor (Message) throws -> Void) -> Self {
        add { message in try await MainActor.run { try handler(message) } }
    }

    /// Calls a handler on a queue with each message. See ``responseMessage(_:)``.
    @discardableResult
    public func responseMessage(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (Message) throws -> Void
    ) -> Self {
        add { message in try await Self.run(on: queue) { try handler(message) } }
    }

    /// Calls a handler on the main actor with each message, decoded from JSON with the service's `jsonDecoding`. If a
    /// message can't be decoded, this counts as an error of the handler. See ``responseMessage(_:)``.
    @discardableResult
    public func responseMessage<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, _ handler: @escaping @MainActor (Value) throws -> Void
    ) -> Self {
        add { [options = json.decoding] message in
            let value = try JSON(parsing: message.data).decode(type, options: options)
            try await MainActor.run { try handler(value) }
        }
    }

    /// Calls a handler on a queue with each message, decoded from JSON with the service's `jsonDecoding`. If a message
    /// can't be decoded, this counts as an error of the handler. See ``responseMessage(_:)``.
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

    /// Calls a handler on the main actor with each error of a message handler or of a message that can't be decoded,
    /// and with the error that ended the WebSocket, if there is one.
    @discardableResult
    public func responseError(_ handler: @escaping @MainActor (ServiceError) -> Void) -> Self {
        addErrorHandler { error in await MainActor.run { handler(error) } }
    }

    /// Calls a handler on a queue with each error. See ``responseError(_:)``.
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
        // The Swift task retains the WebSocket.
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
        // The handlers are released, because they may retain the WebSocket.
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
