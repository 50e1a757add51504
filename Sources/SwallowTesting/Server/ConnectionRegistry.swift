import Foundation
import Swallow

/// A server's open sockets and received requests. Threads retain it and not the server, whose `deinit` stops them.
final class ConnectionRegistry: Sendable {
    struct State: AwaitedState {
        fileprivate(set) var listener: Socket?
        fileprivate(set) var openSockets: Set<Socket> = []
        fileprivate(set) var connectionCount = 0
        fileprivate(set) var requests: [TestServer.Request] = []
        var waiters: [UUID: Waiter<State>] = [:]
    }

    let recordsRequests: Bool
    private let state: Lock<State>
    private let wakeUp: WakeUp?

    init(listener: Socket?, wakeUp: WakeUp?, recordsRequests: Bool) {
        state = Lock(State(listener: listener))
        (self.wakeUp, self.recordsRequests) = (wakeUp, recordsRequests)
    }

    var snapshot: State { state.withLock { $0 } }

    /// Starts a thread that accepts connections until the server stops. Each connection has its own thread.
    func startAccepting(
        from listener: Socket, wakeUp: WakeUp, port: UInt16, _ settings: ConnectionSettings
    ) {
        Self.startThread {
            while !listener.waitUntilReadable(or: wakeUp) {
                if let (socket, number) = self.accept() {
                    Self.startThread {
                        Connection(socket, number: number, port: port, self, settings).run()
                    }
                } else {
                    // For example, the process has no free file descriptor. The pause avoids a busy loop.
                    Thread.sleep(forTimeInterval: 0.005)
                }
            }
        }
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.stackSize = 512 * 1024
        thread.start()
    }

    /// Accepts a connection. The lock also covers its registration, so that `stop()` can't miss it.
    private func accept() -> (Socket, number: Int)? {
        state.update { state in
            guard let socket = state.listener?.acceptConnection() else { return nil }
            state.openSockets.insert(socket)
            state.connectionCount += 1
            return (socket, state.connectionCount - 1)
        }
    }

    func record(_ request: TestServer.Request) {
        guard recordsRequests else { return }
        state.update { $0.requests.append(request) }
    }

    /// Removes and closes a socket under one lock, so `stop()` can't shut down a new socket with its descriptor.
    func release(_ socket: Socket) {
        state.update { state in
            state.openSockets.remove(socket)
            socket.release()
        }
    }

    func stop() {
        state.update { state in
            guard let listener = state.listener else { return }
            state.listener = nil
            listener.shutDown()
            listener.release()
            wakeUp?.signal()
            for socket in state.openSockets { socket.shutDown() }
        }
    }

    func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        try? await state.wait(within: .seconds(300), until: condition) { _ in CancellationError() }
    }
}
