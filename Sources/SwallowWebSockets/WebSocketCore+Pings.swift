import Foundation
import Swallow

extension WebSocketCore {
    /// Sends pings until the Swift task is cancelled or the connection is lost.
    func sendPings(through link: any WebSocketLink) async {
        guard let interval = settings.pingInterval, interval > .zero else { return }
        await state.wait { if case .connecting = $0.phase { false } else { true } }
        do {
            try await clock.sleep(for: interval)
            while !Task.isCancelled {
                if try await isLost(link) { return failWithoutPong(link) }
                try await clock.sleep(for: interval - settings.pongTimeout)
            }
        } catch {}
    }

    /// Sends a ping and returns whether the connection is lost. The time for the pong begins when `onSent` is called.
    private func isLost(_ link: any WebSocketLink) async throws(CancellationError) -> Bool {
        let before = state.withLock { state in
            state.pingTime = nil
            return (state.activities, state.pauses)
        }
        link.sendPing { [weak self] in
            guard let self else { return }
            let now = clock.now
            state.withLock { $0.pingTime = now }
        } onPong: { [weak self] in
            self?.noteActivity()
        }
        var (sentByteCount, delay) = (link.sentByteCount, settings.pongTimeout)
        while true {
            try await clock.sleep(for: delay)
            let (isSilent, pingTime) = state.withLock { state in
                // During a pause, the pong may wait behind messages that the app hasn't read.
                (before == (state.activities, state.pauses) && !state.isFull, state.pingTime)
            }
            guard isSilent else { return false }
            if let pingTime {
                delay = settings.pongTimeout - .seconds(clock.now.timeIntervalSince(pingTime))
                // Less than 1 ms counts as zero, because dates have a limited precision.
                if delay < .milliseconds(1) { return true }
            } else {
                if link.sentByteCount == sentByteCount { return true }
                (sentByteCount, delay) = (link.sentByteCount, settings.pongTimeout)
            }
        }
    }

    private func failWithoutPong(_ link: any WebSocketLink) {
        let detail = "no pong arrived within \(settings.pongTimeout)"
        ended(
            WebSocket.CloseStatus(code: .abnormal, reason: detail), ServiceError(.timedOut, detail: detail))
        link.cancel()
    }
}
