import Foundation
import Swallow

/// The open sockets and the received requests of a server. The server's threads retain the registry instead of the
/// server, so that the server's `deinit` can stop them.
final class ConnectionRegistry: Sendable {
    struct State: Sendable {
        /// `nil` after the server has stopped.
        fileprivate(set) var listener: Socket?
        fileprivate(set) var openSockets: Set<Socket> = []
        fileprivate(set) var connectionCount = 0
        fileprivate(set) var requests: [TestServer.Request] = []
        fileprivate var waiters: [Int: Waiter] = [:]
        fileprivate var lastID = 0
    }

    fileprivate struct Waiter: Sendable {
        let condition: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    enum Acceptance {
        case connection(Socket, number: Int)
        case none, stopped
    }

    let recordsRequests: Bool
    private let state: Lock<State>
    private let wakeUp: WakeUp?

    init(listener: Socket?, wakeUp: WakeUp?, recordsRequests: Bool) {
        state = Lock(State(listener: listener))
        (self.wakeUp, self.recordsRequests) = (wakeUp, recordsRequests)
    }

    var snapshot: State { state.withLock { $0 } }

    /// Accepts and stores a connection under one lock, so that `stop()` can't miss it.
    func accept() -> Acceptance {
        update { state in
            guard let listener = state.listener else { return .stopped }
            guard let socket = listener.acceptConnection() else { return .none }
            state.openSockets.insert(socket)
            state.connectionCount += 1
            return .connection(socket, number: state.connectionCount - 1)
        }
    }

    func record(_ request: TestServer.Request) {
        guard recordsRequests else { return }
        update { $0.requests.append(request) }
    }

    /// Removes and closes a socket under one lock. Otherwise, `stop()` could use its descriptor for another socket.
    func release(_ socket: Socket) {
        update { state in
            state.openSockets.remove(socket)
            socket.release()
        }
    }

    func stop() {
        update { state in
            guard let listener = state.listener else { return }
            state.listener = nil
            listener.shutDown()
            listener.release()
            wakeUp?.signal()
            for socket in state.openSockets { socket.shutDown() }
        }
    }
}

// MARK: - Waiting

extension ConnectionRegistry {
    /// Waits until the condition holds or the Swift task is cancelled, but at most for five minutes.
    func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let timer = SystemClock.system.schedule(after: .seconds(300)) { [weak self] in self?.endWait(id) }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if condition(state) || Task.isCancelled { return true }
                    state.waiters[id] = Waiter(condition: condition, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            endWait(id)
        }
        timer.cancel()
    }

    private func endWait(_ id: Int) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
    }

    private func update<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, ready) = state.withLock { state in
            let result = change(&state)
            guard !state.waiters.isEmpty else { return (result, [Waiter]()) }
            let ready = state.waiters.filter { $0.value.condition(state) }
            for id in ready.keys { state.waiters[id] = nil }
            return (result, Array(ready.values))
        }
        for waiter in ready { waiter.continuation.resume() }
        return result
    }
}
