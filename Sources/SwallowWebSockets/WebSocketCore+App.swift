import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The functions and properties that the app uses through its WebSocket.
extension WebSocketCore {
    /// The server's close frame, or the end of a connection without one.
    var closeStatus: WebSocket.CloseStatus? {
        state.withLock { if case .closed(let closeStatus, _) = $0.phase { closeStatus } else { nil } }
    }

    var subprotocol: String? { state.withLock { $0.subprotocol } }

    func send(_ message: WebSocket.Message) async throws(ServiceError) {
        if try await link.send(message) { return }
        throw state.withLock { state in
            if case .closed(_, let error?) = state.phase { return error }
            return ServiceError(.invalidRequest, detail: "the WebSocket is closed")
        }
    }

    /// Returns `nil` after the last message, if the end isn't an error.
    func next() async throws(ServiceError) -> WebSocket.Message? {
        while true {
            if Task.isCancelled {
                close(WebSocket.CloseStatus(code: .goingAway))
                throw .cancelled
            }
            let (step, pump) = state.withLock { $0.take() }
            pump?.resume()
            switch step {
            case .message(let message): return message
            case .end(let error?): throw error
            case .end(nil): return nil
            case .wait: try await waitForMessage()
            }
        }
    }

    private func waitForMessage() async throws(ServiceError) {
        let isOnly = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.reader != nil { return false }
                    if !state.messages.isEmpty || state.isClosed || Task.isCancelled { return true }
                    state.reader = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.reader.take() }?.resume(returning: true)
        }
        guard !isOnly else { return }
        throw ServiceError(.invalidRequest, detail: "two Swift tasks read the WebSocket at the same time")
    }

    /// Waits for the handshake. Throws the error with which the connection failed before.
    func waitUntilOpen() async throws(ServiceError) -> HTTPURLResponse {
        await wait { $0.head != nil || $0.isClosed }
        let (head, phase) = state.withLock { ($0.head, $0.phase) }
        if let head { return head }
        if case .closed(_, let error?) = phase { throw error }
        throw .cancelled
    }

    func waitUntilClosed() async -> WebSocket.CloseStatus? {
        await wait { $0.isClosed }
        return closeStatus
    }

    /// Also returns if the Swift task is cancelled.
    func wait(until isTrue: @escaping @Sendable (State) -> Bool) async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            while !Task.isCancelled, !state.withLock({ isTrue($0) }) {
                await withCheckedContinuation { continuation in
                    let mustWait = state.withLock { state in
                        if isTrue(state) || Task.isCancelled { return false }
                        state.waiters[number] = continuation
                        return true
                    }
                    if !mustWait { continuation.resume() }
                }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    func close(_ closeStatus: WebSocket.CloseStatus) {
        let closes = state.withLock { state in
            switch state.phase {
            case .connecting, .open:
                state.phase = .closing
                state.wasClosedHere = true
                return true
            case .closing, .closed: return false
            }
        }
        guard closes else { return }
        status.set(.closing)
        link.close(closeStatus)
        startCloseTimer()
    }

    func startCloseTimer() {
        let timer = clock.schedule(after: settings.closeTimeout) { [weak self, link] in
            link.cancel()
            // The connection's task may wait until the app reads messages.
            self?.ended(WebSocket.CloseStatus(code: .abnormal), nil)
        }
        let unneeded = state.withLock { state in
            if state.hasRunEnded { return timer as ScheduledWork? }
            defer { state.closeTimer = timer }
            return state.closeTimer
        }
        unneeded?.cancel()
    }
}

extension WebSocketCore.State {
    enum Step {
        case message(WebSocket.Message)
        case end(ServiceError?)
        case wait
    }

    /// Returns the next message, and the connection's Swift task if there is room again.
    mutating func take() -> (Step, CheckedContinuation<Void, Never>?) {
        guard let message = messages.take() else {
            if case .closed(_, let error) = phase { return (.end(error), nil) }
            return (.wait, nil)
        }
        return (.message(message), messages.hasRoom ? pump.take() : nil)
    }
}
