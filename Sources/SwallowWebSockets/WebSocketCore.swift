import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The state of a WebSocket and its received messages. The connection's Swift task holds this object, but not the
/// ``WebSocket``, so that the release of the latter closes the connection.
final class WebSocketCore: WebSocketLinkOwner {
    fileprivate enum Phase: Sendable {
        case connecting
        case open
        case closing
        case closed(WebSocket.Closure, ServiceError?)
    }

    fileprivate struct State: Sendable {
        var phase = Phase.connecting
        var subprotocol: String?
        var head: HTTPURLResponse?
        /// Whether this side closed first, so that the end is no error.
        var wasClosedHere = false
        var messages: [WebSocket.Message] = []
        /// The number of messages that were taken from the beginning of `messages`.
        var taken = 0
        var byteCount = 0
        var reader: CheckedContinuation<Bool, Never>?
        /// Continues the connection's Swift task when there is room.
        var pump: CheckedContinuation<Void, Never>?
        /// The number of pauses so far, during which no pong can be seen.
        var pauses = 0
        var pongs = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
        var closeTimer: ScheduledWork?
        var hasRunEnded = false
    }

    /// If the waiting messages have this many bytes, the connection isn't read.
    fileprivate static let capacity = 256 * 1024
    /// What an empty message counts.
    fileprivate static let messageCost = 64

    let link: any WebSocketLink
    let settings: WebSocket.Settings
    let clock: any ServiceClock
    let status = WebSocketStatus()
    private let state = Lock(State())

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
            state.messages.append(message)
            state.byteCount += message.byteCount + Self.messageCost
            return state.reader.take()
        }
        reader?.resume(returning: true)
        guard state.withLock({ $0.byteCount >= Self.capacity }) else { return }
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                if state.byteCount < Self.capacity || state.isClosed { return false }
                state.pump = continuation
                state.pauses += 1
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    func receivedPong() { state.withLock { $0.pongs += 1 } }

    func ended(_ closure: WebSocket.Closure, _ error: ServiceError?) {
        let (isFirst, reader, waiters, pump) = state.withLock { state in
            if state.isClosed {
                return (
                    false, nil as CheckedContinuation<Bool, Never>?, [] as [CheckedContinuation<Void, Never>],
                    nil as CheckedContinuation<Void, Never>?
                )
            }
            state.phase = .closed(closure, state.error(of: closure, error))
            return (true, state.reader.take(), state.takeWaiters(), state.pump.take())
        }
        guard isFirst else { return }
        status.set(.closed(closure))
        reader?.resume(returning: true)
        pump?.resume()
        for waiter in waiters { waiter.resume() }
        startCloseTimer()
    }
}

extension WebSocketCore.State {
    fileprivate var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// A closure is no error if this side closed, or if the server fulfilled its purpose or leaves.
    fileprivate func error(of closure: WebSocket.Closure, _ error: ServiceError?) -> ServiceError? {
        if wasClosedHere { return nil }
        if let error { return error }
        switch closure.code {
        case .normal, .goingAway, .noCode: return nil
        default:
            let lost = URLError(.networkConnectionLost)
            return ServiceError(
                .transport(lost), detail: closure.description, response: head, underlying: closure)
        }
    }

    fileprivate mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}

// MARK: - The app's side

extension WebSocketCore {
    /// The server's close frame, or the end of a connection without one.
    var closure: WebSocket.Closure? {
        state.withLock { if case .closed(let closure, _) = $0.phase { closure } else { nil } }
    }

    var subprotocol: String? { state.withLock { $0.subprotocol } }

    func send(_ message: WebSocket.Message) async throws(ServiceError) {
        if try await link.send(message) { return }
        throw state.withLock { state in
            if case .closed(_, let error?) = state.phase { return error }
            return ServiceError(.invalidRequest, detail: "the WebSocket is closed")
        }
    }

    /// Returns `nil` after the last message, if the end is no error.
    func next() async throws(ServiceError) -> WebSocket.Message? {
        while true {
            if Task.isCancelled {
                close(WebSocket.Closure(code: .goingAway))
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
                    if state.hasMessage || state.isClosed || Task.isCancelled { return true }
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

    func waitUntilClosed() async -> WebSocket.Closure? {
        await wait { $0.isClosed }
        return closure
    }

    /// Also returns if the Swift task is cancelled.
    private func wait(until isTrue: @escaping @Sendable (State) -> Bool) async {
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

    func close(_ closure: WebSocket.Closure) {
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
        link.close(closure)
        startCloseTimer()
    }

    private func startCloseTimer() {
        let timer = clock.schedule(after: settings.closeTimeout) { [link] in link.cancel() }
        let unneeded = state.withLock { state in
            if state.hasRunEnded { return timer as ScheduledWork? }
            defer { state.closeTimer = timer }
            return state.closeTimer
        }
        unneeded?.cancel()
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
                let before = state.withLock { ($0.pongs, $0.pauses) }
                link.sendPing { [weak self] in self?.receivedPong() }
                try await clock.sleep(for: settings.pongTimeout)
                let isLost = state.withLock { state in
                    // The pong may wait behind messages that the app hasn't read.
                    before == (state.pongs, state.pauses) && state.pump == nil
                }
                if isLost { return failWithoutPong() }
                try await clock.sleep(for: interval - settings.pongTimeout)
            }
        } catch {}
    }

    private func failWithoutPong() {
        let detail = "no pong arrived within \(settings.pongTimeout)"
        ended(WebSocket.Closure(code: .abnormal, reason: detail), ServiceError(.timedOut, detail: detail))
        link.cancel()
    }
}

extension WebSocketCore.State {
    fileprivate enum Step {
        case message(WebSocket.Message)
        case end(ServiceError?)
        case wait
    }

    fileprivate var hasMessage: Bool { taken < messages.count }

    /// Returns the next message, and the connection's Swift task if there is room again.
    fileprivate mutating func take() -> (Step, CheckedContinuation<Void, Never>?) {
        guard hasMessage else {
            if case .closed(_, let error) = phase { return (.end(error), nil) }
            return (.wait, nil)
        }
        let message = messages[taken]
        messages[taken] = .text("")
        taken += 1
        if taken == messages.count || taken >= 1024 {
            messages.removeFirst(taken)
            taken = 0
        }
        byteCount -= message.byteCount + WebSocketCore.messageCost
        return (.message(message), byteCount <= WebSocketCore.capacity / 4 ? pump.take() : nil)
    }
}
