import Foundation
import Swallow

extension WebSocketCore {
    var subprotocol: String? { state.withLock { $0.subprotocol } }

    func send(_ message: WebSocket.Message) async throws(ServiceError) {
        while true {
            let link = state.withLock { $0.link }
            if try await link.send(message) { return }
            // This link can't send the message, but the next one may.
            await state.wait { $0.link !== link || $0.sendingProblem != nil }
            if let problem = state.withLock({ $0.sendingProblem }) { throw problem }
            if Task.isCancelled { throw .cancelled }
        }
    }

    /// Waits for the next message. Returns `nil` if the WebSocket ended without an error.
    func next() async throws(ServiceError) -> WebSocket.Message? {
        while true {
            if Task.isCancelled {
                close(WebSocket.CloseStatus(code: .goingAway))
                throw .cancelled
            }
            let (next, phase) = state.withLock { ($0.messages.take(), $0.phase) }
            // The connection may be waiting for room.
            if next.hasRoom { state.resumeWaiters() }
            if let message = next.element { return message }
            if case .closed(_, let error) = phase {
                if let error { throw error }
                return nil
            }
            try await waitForMessage()
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

    /// Waits for an accepted handshake. Throws the error if the WebSocket ends before.
    func waitUntilOpen() async throws(ServiceError) -> HTTPURLResponse {
        await state.wait { $0.head != nil || $0.isClosed }
        let (head, phase) = state.withLock { ($0.head, $0.phase) }
        if let head { return head }
        if case .closed(_, let error?) = phase { throw error }
        throw .cancelled
    }

    func waitUntilClosed() async -> WebSocket.CloseStatus? {
        await state.wait { $0.isClosed }
        return state.withLock { if case .closed(let closeStatus, _) = $0.phase { closeStatus } else { nil } }
    }

    func close(_ closeStatus: WebSocket.CloseStatus) {
        let isFirst = enter { state in
            switch state.phase {
            case .connecting, .open, .waiting:
                state.wasClosedHere = true
                return .closing
            case .closing, .closed: return nil
            }
        }
        guard isFirst else { return }
        state.withLock { $0.link }.close(closeStatus)
        startCloseTimer()
    }

    func startCloseTimer() {
        let link = state.withLock { $0.link }
        let timer = clock.schedule(after: settings.closeTimeout) { [weak self] in
            link.cancel()
            // The Swift task of the connection may be waiting for the app. It then can't report the end.
            self?.ended(WebSocket.CloseStatus(code: .abnormal), nil)
        }
        state.withLock { state in
            state.closeTimer.store(timer, if: !state.hasRunEnded && state.closeTimer == nil)
        }
        .cancelIfUnneeded()
    }
}

extension WebSocketCore.State {
    fileprivate var sendingProblem: ServiceError? {
        switch phase {
        case .closed(_, let error?): error
        case .closing, .closed(_, nil): ServiceError(.invalidRequest, detail: "the WebSocket is closed")
        case .connecting, .open, .waiting: nil
        }
    }
}
