import Foundation
import Swallow

/// The state of a WebSocket and its received messages. The Swift task that runs its connections retains this object but
/// not the ``WebSocket``, so that releasing the WebSocket closes it.
final class WebSocketCore: WebSocketLinkOwner {
    typealias StateChange = PublishedState<WebSocket.State>.Change

    enum Phase: Sendable {
        case connecting
        case open
        /// The connection has ended. The next handshake follows after this delay.
        case waiting(Duration)
        case closing
        case closed(WebSocket.CloseStatus, ServiceError?)
    }

    struct State: AwaitedState {
        var phase = Phase.connecting
        var phaseCount = 0
        var link: any WebSocketLink
        var reconnection: Reconnection?
        var subprotocol: String?
        /// The head of the response to the last accepted handshake.
        var head: HTTPURLResponse?
        /// Whether this side closed first, so that the end isn't an error.
        var wasClosedHere = false
        var messages = BodyPartQueue<WebSocket.Message>()
        var reader: CheckedContinuation<Bool, Never>?
        /// Continues the connection's Swift task when there is room.
        var pump: CheckedContinuation<Void, Never>?
        var pauses = 0
        var activities = 0
        /// The time at which the link called `onSent` for the last ping. `nil` before that.
        var pingTime: Date?
        var waiters = Waiters()
        var closeTimer: ScheduledWork?
        var hasRunEnded = false
    }

    let settings: WebSocket.Settings
    let clock: any ServiceClock
    let status = PublishedState(WebSocket.State.connecting)
    let state: Lock<State>
    private let makeLink: @Sendable () -> any WebSocketLink

    init(
        _ settings: WebSocket.Settings, _ clock: any ServiceClock,
        makeLink: @escaping @Sendable () -> any WebSocketLink
    ) {
        (self.settings, self.clock, self.makeLink) = (settings, clock, makeLink)
        state = Lock(State(link: makeLink(), reconnection: settings.reconnects ? Reconnection() : nil))
    }

    func start() {
        Task {
            repeat { await runConnection() } while await connectsAgain()
            let timer = state.withLock { state in
                state.hasRunEnded = true
                return state.closeTimer.take()
            }
            timer?.cancel()
        }
    }

    private func runConnection() async {
        let now = clock.now
        let link = state.withLock { state in
            state.reconnection?.begin(at: now)
            return state.link
        }
        let pings = Task { await self.sendPings(through: link) }
        await link.run(for: self)
        pings.cancel()
        await pings.value
    }
}

extension WebSocketCore {
    func opened(_ head: HTTPURLResponse, subprotocol: String?) {
        let (change, waiters) = state.withLock { state in
            state.head = head
            state.subprotocol = subprotocol
            guard case .connecting = state.phase else {
                return (nil as StateChange?, state.waiters.takeAll())
            }
            return (state.enter(.open), state.waiters.takeAll())
        }
        if let change { status.publish(change) }
        for waiter in waiters { waiter.resume() }
    }

    func receive(_ message: WebSocket.Message) async {
        let reader = state.withLock { state in
            if state.isClosed { return nil as CheckedContinuation<Bool, Never>? }
            // Each message counts 64 bytes more than its data, because short messages also use memory.
            state.messages.add(message, byteCount: message.byteCount + 64)
            state.reconnection?.noteEvent()
            return state.reader.take()
        }
        reader?.resume(returning: true)
        guard state.withLock({ $0.messages.flow == .pause }) else { return }
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                if state.messages.flow == .more || state.isClosed { return false }
                state.pump = continuation
                state.pauses += 1
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    func noteActivity() { state.withLock { $0.activities += 1 } }

    func ended(_ closeStatus: WebSocket.CloseStatus, _ error: ServiceError?) {
        let now = clock.now
        guard let end = state.withLock({ $0.endConnection(closeStatus, error, now: now) }) else { return }
        status.publish(end.change)
        end.reader?.resume(returning: true)
        end.pump?.resume()
        for waiter in end.waiters { waiter.resume() }
        if end.isClosed { startCloseTimer() }
    }
}

extension WebSocketCore.State {
    struct ConnectionEnd {
        let isClosed: Bool
        let change: WebSocketCore.StateChange
        let reader: CheckedContinuation<Bool, Never>?
        let pump: CheckedContinuation<Void, Never>?
        let waiters: [CheckedContinuation<Void, Never>]
    }

    var isClosed: Bool { if case .closed = phase { true } else { false } }

    mutating func enter(_ phase: WebSocketCore.Phase) -> WebSocketCore.StateChange {
        self.phase = phase
        phaseCount += 1
        return WebSocketCore.StateChange(phase.state, number: phaseCount)
    }

    /// Ends a connection. Returns `nil` if its end has been reported before.
    fileprivate mutating func endConnection(
        _ closeStatus: WebSocket.CloseStatus, _ error: ServiceError?, now: Date
    ) -> ConnectionEnd? {
        switch phase {
        case .waiting, .closed: return nil
        case .connecting, .open, .closing: break
        }
        let change = enter(phase(after: closeStatus, self.error(of: closeStatus, error), now: now))
        return ConnectionEnd(
            isClosed: isClosed, change: change, reader: isClosed ? reader.take() : nil, pump: pump.take(),
            waiters: waiters.takeAll())
    }

    private mutating func phase(
        after closeStatus: WebSocket.CloseStatus, _ error: ServiceError?, now: Date
    ) -> WebSocketCore.Phase {
        if !wasClosedHere, closeStatus.code.allowsReconnecting,
            case .wait(let delay)? = reconnection?.step(after: error, now: now)
        {
            return .waiting(delay)
        }
        return .closed(closeStatus, error)
    }

    /// Returns the error of an end. `nil` if this side closed, or if the server's frame has code 1000, 1001 or none.
    private func error(of closeStatus: WebSocket.CloseStatus, _ error: ServiceError?) -> ServiceError? {
        if wasClosedHere { return nil }
        if let error { return error }
        switch closeStatus.code {
        case .normal, .goingAway, .noCode: return nil
        default:
            let lost = URLError(.networkConnectionLost)
            return ServiceError(
                .transport(lost), response: head, underlying: closeStatus)
        }
    }
}

extension WebSocketCore.Phase {
    fileprivate var state: WebSocket.State {
        switch self {
        case .connecting, .waiting: .connecting
        case .open: .open
        case .closing: .closing
        case .closed(let closeStatus, _): .closed(closeStatus)
        }
    }
}

extension WebSocketCore {
    /// Waits for the time of the next handshake. Returns `false` if the WebSocket is closed.
    private func connectsAgain() async -> Bool {
        if case .waiting(let delay) = state.withLock({ $0.phase }) {
            let timer = clock.schedule(after: delay) { [weak self] in self?.connect() }
            await state.wait { if case .waiting = $0.phase { false } else { true } }
            timer.cancel()
        }
        switch state.withLock({ $0.phase }) {
        case .connecting: return true
        case .closing: ended(WebSocket.CloseStatus(code: .abnormal), nil)
        case .open, .waiting, .closed: break
        }
        return false
    }

    private func connect() {
        let link = makeLink()
        typealias Step = (StateChange, [CheckedContinuation<Void, Never>])
        let step = state.withLock { state -> Step? in
            guard case .waiting = state.phase else { return nil }
            state.link = link
            return (state.enter(.connecting), state.waiters.takeAll())
        }
        guard let (change, waiters) = step else { return }
        status.publish(change)
        for waiter in waiters { waiter.resume() }
    }
}

extension WebSocket.CloseCode {
    fileprivate var allowsReconnecting: Bool {
        switch self {
        case .goingAway, .abnormal, .internalError, .serviceRestart, .tryAgainLater, .badGateway: true
        default: false
        }
    }
}
