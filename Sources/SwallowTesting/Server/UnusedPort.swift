/// A port of 127.0.0.1 that refuses every connection. While this object exists, no other process can use the port.
package final class UnusedPort: Sendable {
    package let port: UInt16
    private let socket: Socket

    package init() throws {
        (socket, port) = try Socket.bound()
    }

    deinit {
        socket.release()
    }
}
