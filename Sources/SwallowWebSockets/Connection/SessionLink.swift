#if !canImport(FoundationNetworking)
    import Foundation
    import Swallow

    /// A WebSocket of `URLSession`. It is also the data source of the service's request that opens the WebSocket, so
    /// the handshake has the service's headers, credentials and log.
    final class SessionLink: NSObject, WebSocketLink {
        private struct State: AwaitedState {
            var socket: URLSessionWebSocketTask?
            var completion: Completion?
            var isOpen = false
            var hasEnded = false
            var closeStatus: WebSocket.CloseStatus?
            var waiters = Waiters()
        }

        typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

        private let state = Lock(State())
        private let handshake: WebSocketHandshake
        private let settings: WebSocket.Settings
        private let makeSocket: @Sendable (URLRequest) -> URLSessionWebSocketTask?
        private let connect: @Sendable (SessionLink) -> ServiceTask

        /// - Parameter connect: Creates the task, with the link as its data source.
        init(
            _ handshake: WebSocketHandshake, _ settings: WebSocket.Settings,
            makeSocket: @escaping @Sendable (URLRequest) -> URLSessionWebSocketTask?,
            connect: @escaping @Sendable (SessionLink) -> ServiceTask
        ) {
            (self.handshake, self.settings) = (handshake, settings)
            (self.makeSocket, self.connect) = (makeSocket, connect)
        }

        func run(for owner: any WebSocketLinkOwner) async {
            do {
                let head = try await connect(self).response.head
                guard let socket = state.withLock({ $0.socket }) else { throw ServiceError.cancelled }
                let subprotocol = head.value(forHTTPHeaderField: "Sec-WebSocket-Protocol")
                for message in settings.firstMessages() { try await Self.send(message, to: socket) }
                state.withLock { $0.isOpen = true }
                state.resumeWaiters()
                owner.opened(head, subprotocol: subprotocol)
                while true {
                    switch try await socket.receive() {
                    case .string(let text): await owner.receive(.text(text))
                    case .data(let data): await owner.receive(.binary(data))
                    @unknown default: break
                    }
                }
            } catch {
                let closeStatus = state.withLock { $0.closeStatus } ?? WebSocket.CloseStatus(code: .abnormal)
                owner.ended(closeStatus, closeStatus.code == .abnormal ? Self.failure(error) : nil)
            }
            cancel()
        }

        func send(_ message: WebSocket.Message) async throws(ServiceError) -> Bool {
            await state.wait { $0.isOpen || $0.hasEnded }
            if Task.isCancelled { throw .cancelled }
            let socket = state.withLock { $0.hasEnded ? nil : $0.socket }
            guard let socket else { return false }
            do { try await Self.send(message, to: socket) } catch { return false }
            return true
        }

        private static func send(
            _ message: WebSocket.Message, to socket: URLSessionWebSocketTask
        ) async throws {
            switch message {
            case .text(let text): try await socket.send(.string(text))
            case .binary(let data): try await socket.send(.data(data))
            }
        }

        func sendPing(onSent: @escaping @Sendable () -> Void, onPong: @escaping @Sendable () -> Void) {
            state.withLock { $0.socket }?.sendPing { error in if error == nil { onPong() } }
            // The session doesn't report when a ping leaves its queue.
            onSent()
        }

        var sentByteCount: Int { 0 }

        func close(_ closeStatus: WebSocket.CloseStatus) {
            let (socket, isOpen) = state.withLock { ($0.socket, $0.isOpen) }
            guard isOpen else { return cancel() }
            let code =
                URLSessionWebSocketTask.CloseCode(rawValue: Int(closeStatus.code.rawValue)) ?? .normalClosure
            state.withLock { $0.closeStatus = closeStatus }
            socket?.cancel(with: code, reason: Data(closeStatus.reason.utf8))
        }

        func cancel() {
            let socket = state.withLock { state in
                state.hasEnded = true
                return state.socket
            }
            socket?.cancel()
            state.resumeWaiters()
        }

        private static func failure(_ error: any Error) -> ServiceError {
            if let error = error as? ServiceError { return error }
            let lost = error as? URLError ?? URLError(.networkConnectionLost)
            return ServiceError(.transport(lost), underlying: error)
        }
    }

    extension SessionLink: SessionDataTaskDataSource {
        func dataTask(with request: URLRequest, completion: @escaping Completion) -> any DataTask {
            guard let socket = makeSocket(request.forWebSocket) else {
                return ManagedDataTask(completion) { CompletionOperation(.failure(URLError(.cancelled)), $0) }
            }
            socket.maximumMessageSize = settings.maximumMessageSize
            socket.delegate = self
            state.withLock { ($0.socket, $0.completion) = (socket, completion) }
            return socket
        }

        private func completeHandshake(_ response: URLResponse?, _ error: (any Error)?) {
            let completion = state.withLock { $0.completion.take() }
            // A rejected handshake isn't an error here, because the service fails on the status of its response.
            completion?(Data(), response, response == nil ? error : nil)
        }
    }

    extension URLRequest {
        /// The request with `ws` or `wss`. URLSession requires one of these schemes for a WebSocket.
        fileprivate var forWebSocket: URLRequest {
            var request = self
            if let text = url?.absoluteString, text.lowercased().hasPrefix("http") {
                request.url = URL(string: "ws" + text.dropFirst(4))
            }
            return request
        }
    }

    extension SessionLink: URLSessionWebSocketDelegate {
        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
            didOpenWithProtocol subprotocol: String?
        ) {
            completeHandshake(webSocketTask.response, nil)
        }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
            didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
        ) {
            let code = WebSocket.CloseCode(rawValue: UInt16(clamping: closeCode.rawValue))
            let text = reason.map { String(decoding: $0, as: UTF8.self) } ?? ""
            state.withLock { $0.closeStatus = WebSocket.CloseStatus(code: code, reason: text) }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
        {
            completeHandshake(task.response, error ?? URLError(.networkConnectionLost))
        }
    }
#endif
