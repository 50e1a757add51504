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
        var connectionEnds = 0
        /// The number of times that the connection had to wait for room.
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
        enter { state in
            state.head = head
            state.subprotocol = subprotocol
            if case .connecting = state.phase { return .open }
            return nil
        }
    }

    func receive(_ message: WebSocket.Message) async {
        let (reader, isFull, ends) = state.withLock {
            state -> (CheckedContinuation<Bool, Never>?, Bool, Int) in
            if state.isClosed { return (nil, false, 0) }
            // Each message counts 64 bytes more than its data, because short messages also use memory.
            state.messages.add(message, byteCount: message.byteCount + 64)
            state.reconnection?.noteEvent()
            if state.isFull { state.pauses += 1 }
            return (state.reader.take(), state.isFull, state.connectionEnds)
        }
        reader?.resume(returning: true)
        if isFull { await state.wait { !$0.isFull || $0.connectionEnds != ends } }
    }

    func noteActivity() { state.withLock { $0.activities += 1 } }

    func ended(_ closeStatus: WebSocket.CloseStatus, _ error: ServiceError?) {
        let now = clock.now
        let isNew = enter { $0.phase(after: closeStatus, error, now: now) }
        if isNew, state.withLock({ $0.isClosed }) { startCloseTimer() }
    }

    /// Changes the state, and publishes the phase that the closure returns, if any. Returns whether there is a phase.
    @discardableResult
    func enter(_ nextPhase: (inout State) -> Phase?) -> Bool {
        let (change, reader) = state.withLock { state in
            let phase = nextPhase(&state)
            return (phase.map { state.enter($0) }, state.isClosed ? state.reader.take() : nil)
        }
        if let change { status.publish(change) }
        reader?.resume(returning: true)
        state.resumeWaiters()
        return change != nil
    }
}

extension WebSocketCore.State {
    var isClosed: Bool { if case .closed = phase { true } else { false } }

    var isConnectionOver: Bool {
        switch phase {
        case .waiting, .closed: true
        case .connecting, .open, .closing: false
        }
    }

    var isFull: Bool { messages.flow == .pause }

    fileprivate mutating func enter(_ phase: WebSocketCore.Phase) -> WebSocketCore.StateChange {
        self.phase = phase
        phaseCount += 1
        return WebSocketCore.StateChange(phase.state, number: phaseCount)
    }

    /// Returns the phase after a connection, or `nil` if the end of the connection has been reported before.
    fileprivate mutating func phase(
        after closeStatus: WebSocket.CloseStatus, _ error: ServiceError?, now: Date
    ) -> WebSocketCore.Phase? {
        if isConnectionOver { return nil }
        connectionEnds += 1
        let error = self.error(of: closeStatus, error)
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
            return ServiceError(.transport(lost), response: head, underlying: closeStatus)
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
        enter { state in
            guard case .waiting = state.phase else { return nil }
            state.link = link
            return .connecting
        }
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
