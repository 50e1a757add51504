import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The state of a WebSocket and its received messages. The connection's Swift task holds this object, but not the
/// ``WebSocket``, so that the release of the latter closes the connection.
final class WebSocketCore: WebSocketLinkOwner {
    enum Phase: Sendable {
        case connecting
        case open
        case closing
        case closed(WebSocket.CloseStatus, ServiceError?)
    }

    struct State: Sendable {
        var phase = Phase.connecting
        var subprotocol: String?
        var head: HTTPURLResponse?
        /// Whether this side closed first, so that the end isn't an error.
        var wasClosedHere = false
        var messages = WebSocketMessageQueue()
        var reader: CheckedContinuation<Bool, Never>?
        /// Continues the connection's Swift task when there is room.
        var pump: CheckedContinuation<Void, Never>?
        /// The number of pauses so far, during which no pong can be seen.
        var pauses = 0
        var activities = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
        var closeTimer: ScheduledWork?
        var hasRunEnded = false
    }

    let link: any WebSocketLink
    let settings: WebSocket.Settings
    let clock: any ServiceClock
    let status = WebSocketStatus()
    let state = Lock(State())

    init(_ link: any WebSocketLink, _ settings: WebSocket.Settings, _ clock: any ServiceClock) {
        (self.link, self.settings, self.clock) = (link, settings, clock)
    }

    func start() {
        Task {
            let pings = Task { await self.sendPings() }
            await link.run(for: self)
            pings.cancel()
            let timer = state.withLock { state in
                state.hasRunEnded = true
                return state.closeTimer.take()
            }
            timer?.cancel()
        }
    }
}

// MARK: - The connection's events

extension WebSocketCore {
    func opened(_ head: HTTPURLResponse, subprotocol: String?) {
        let (isOpen, waiters) = state.withLock { state in
            state.head = head
            state.subprotocol = subprotocol
            guard case .connecting = state.phase else { return (false, state.takeWaiters()) }
            state.phase = .open
            return (true, state.takeWaiters())
        }
        if isOpen { status.set(.open) }
        for waiter in waiters { waiter.resume() }
    }

    func receive(_ message: WebSocket.Message) async {
        let reader = state.withLock { state in
            if state.isClosed { return nil as CheckedContinuation<Bool, Never>? }
            state.messages.add(message)
            return state.reader.take()
        }
        reader?.resume(returning: true)
        guard state.withLock({ $0.messages.isFull }) else { return }
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                if !state.messages.isFull || state.isClosed { return false }
                state.pump = continuation
                state.pauses += 1
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    func noteActivity() { state.withLock { $0.activities += 1 } }

    func ended(_ closeStatus: WebSocket.CloseStatus, _ error: ServiceError?) {
        let (isFirst, reader, waiters, pump) = state.withLock { state in
            if state.isClosed {
                return (
                    false, nil as CheckedContinuation<Bool, Never>?, [] as [CheckedContinuation<Void, Never>],
                    nil as CheckedContinuation<Void, Never>?
                )
            }
            state.phase = .closed(closeStatus, state.error(of: closeStatus, error))
            return (true, state.reader.take(), state.takeWaiters(), state.pump.take())
        }
        guard isFirst else { return }
        status.set(.closed(closeStatus))
        reader?.resume(returning: true)
        pump?.resume()
        for waiter in waiters { waiter.resume() }
        startCloseTimer()
    }
}

extension WebSocketCore.State {
    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// A close status isn't an error if this side closed, or if the server fulfilled its purpose or leaves.
    func error(of closeStatus: WebSocket.CloseStatus, _ error: ServiceError?) -> ServiceError? {
        if wasClosedHere { return nil }
        if let error { return error }
        switch closeStatus.code {
        case .normal, .goingAway, .noCode: return nil
        default:
            let lost = URLError(.networkConnectionLost)
            return ServiceError(
                .transport(lost), detail: closeStatus.description, response: head, underlying: closeStatus)
        }
    }

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}

// MARK: - Pings

extension WebSocketCore {
    /// Sends pings until the Swift task is cancelled or a pong doesn't arrive in time.
    private func sendPings() async {
        guard let interval = settings.pingInterval, interval > .zero else { return }
        await wait { $0.head != nil || $0.isClosed }
        do {
            try await clock.sleep(for: interval)
            while !Task.isCancelled {
                let before = state.withLock { ($0.activities, $0.pauses) }
                link.sendPing { [weak self] in self?.noteActivity() }
                try await clock.sleep(for: settings.pongTimeout)
                let isLost = state.withLock { state in
                    // The pong may wait behind messages that the app hasn't read.
                    before == (state.activities, state.pauses) && state.pump == nil
                }
                if isLost { return failWithoutPong() }
                try await clock.sleep(for: interval - settings.pongTimeout)
            }
        } catch {}
    }

    private func failWithoutPong() {
        let detail = "no pong arrived within \(settings.pongTimeout)"
        ended(WebSocket.CloseStatus(code: .abnormal, reason: detail), ServiceError(.timedOut, detail: detail))
        link.cancel()
    }
}
