import Foundation

extension ConnectionRegistry {
    /// Starts a thread that accepts connections until the server stops. Each connection has its own thread.
    func startAccepting(
        from listener: Socket, wakeUp: WakeUp, port: UInt16, _ settings: ConnectionSettings
    ) {
        Self.startThread {
            while !listener.waitUntilReadable(or: wakeUp) {
                switch self.accept() {
                case .connection(let socket, let number):
                    Self.startThread {
                        Connection(socket, number: number, port: port, self, settings).run()
                    }
                case .none:
                    // For example, the process has no free file descriptor. The pause avoids a busy loop.
                    wakeUp.wait(milliseconds: 5)
                case .stopped:
                    return
                }
            }
        }
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.stackSize = 512 * 1024
        thread.start()
    }
}
