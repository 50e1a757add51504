import Foundation

/// The thread that takes connections and gives each a thread of its own.
struct Acceptor: Sendable {
    let listener: Socket
    let wakeUp: WakeUp
    let registry: ConnectionRegistry
    let port: UInt16
    let handler: LoopbackServer.Handler
    let streams: LoopbackServer.StreamHandler

    func start() {
        Self.startThread(run)
    }

    private func run() {
        defer { wakeUp.release() }
        while !listener.waitUntilReadable(or: wakeUp) {
            switch registry.accept() {
            case .connection(let socket):
                Self.startThread {
                    Connection(
                        socket: socket, registry: registry, port: port, handler: handler, streams: streams
                    ).run()
                }
            case .none:
                // The peer left again, or the process is out of descriptors: don't spin on the latter.
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
