/// A port of 127.0.0.1 that refuses every connection. No other process can use it while this object exists. (The port
/// of a stopped server may soon belong to another server.)
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
