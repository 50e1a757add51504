import Foundation

/// Accepts connections on its own thread, and starts a thread for each connection.
struct Acceptor: Sendable {
    let listener: Socket
    let wakeUp: WakeUp
    let registry: ConnectionRegistry
    let port: UInt16
    let settings: ConnectionSettings

    func start() {
        Self.startThread(run)
    }

    private func run() {
        while !listener.waitUntilReadable(or: wakeUp) {
            switch registry.accept() {
            case .connection(let socket, let number):
                Self.startThread {
                    Connection(socket, number: number, port: port, registry, settings).run()
                }
            case .none:
                // For example, the process has no free file descriptor. The pause avoids a busy loop.
                wakeUp.wait(milliseconds: 5)
            case .stopped:
                return
            }
        }
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.stackSize = 512 * 1024
        thread.start()
    }
}
