import Foundation
import Swallow

/// What the server, its accepting thread and its connections share: the open sockets and what came in.
///
/// Threads hold the registry and never the server, so the server's `deinit` can stop them.
final class ConnectionRegistry: Sendable {
    struct State: Sendable {
        /// Nil once the server has stopped.
        fileprivate(set) var listener: Socket?
        fileprivate(set) var openSockets: Set<Socket> = []
        fileprivate(set) var connectionCount = 0
        fileprivate(set) var requests: [LoopbackServer.Request] = []
        fileprivate var waiters: [UUID: Waiter] = [:]
    }

    fileprivate struct Waiter: Sendable {
        let condition: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    enum Acceptance {
        case connection(Socket)
        case none, stopped
    }

    let recordsRequests: Bool
    private let state: Lock<State>
    private let wakeUp: WakeUp

    init(listener: Socket, wakeUp: WakeUp, recordsRequests: Bool) {
        self.state = Lock(State(listener: listener))
        self.wakeUp = wakeUp
        self.recordsRequests = recordsRequests
    }

    var snapshot: State {
        state.withLock { $0 }
    }

    /// Takes one waiting connection. Accepting and noting it are one step, so `stop()` misses none.
    func accept() -> Acceptance {
        update { state in
            guard let listener = state.listener else { return .stopped }
            guard let socket = listener.acceptConnection() else { return .none }
            state.openSockets.insert(socket)
            state.connectionCount += 1
            return .connection(socket)
        }
    }

    func record(_ request: LoopbackServer.Request) {
        guard recordsRequests else { return }
        update { $0.requests.append(request) }
    }

    /// Ends a connection. Releasing and forgetting it are one step: `stop()` never sees a reused number.
    func release(_ socket: Socket) {
        update { state in
            state.openSockets.remove(socket)
            socket.release()
        }
    }

    /// Refuses new connections and ends the open ones; a second call does nothing.
    func stop() {
        update { state in
            guard let listener = state.listener else { return }
            state.listener = nil
            listener.shutDown()
            listener.release()
            wakeUp.signal()
            for socket in state.openSockets { socket.shutDown() }
        }
    }

    /// In seconds; far more than anything takes on a busy machine.
    private static let bound = 600.0

    /// Suspends until `condition` holds or the calling task is cancelled; ends the process where neither ever is, since no
    /// test can go on.
    func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        let id = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if condition(state) || Task.isCancelled { return true }
                    state.waiters[id] = Waiter(condition: condition, continuation: continuation)
                    return false
                }
                if isOver { return continuation.resume() }
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.bound) { [weak self] in
                    let isWaiting = self?.state.withLock { $0.waiters[id] != nil } ?? false
                    if isWaiting {
                        fatalError("what a test waits for hasn't come to its server in ten minutes")
                    }
                }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume()
        }
    }

    /// Changes the state, then resumes, outside the lock, everyone who waited for that change.
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
