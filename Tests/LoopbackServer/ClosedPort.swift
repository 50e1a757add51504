/// A port of 127.0.0.1 that refuses every connection, and that nobody else gets as long as this is held.
///
/// The port of a server that has stopped may soon be another server's.
public final class ClosedPort: Sendable {
    /// The port.
    public let port: UInt16

    private let socket: Socket

    /// Takes a free port.
    ///
    /// - Throws: `POSIXError` when no socket is to be had.
    public init() throws {
        (socket, port) = try Socket.bound()
    }

    deinit {
        socket.release()
    }

    /// The root of what isn't there, without a final slash: `http://127.0.0.1:PORT`.
    public var baseURLString: String {
        "http://127.0.0.1:\(port)"
    }
}
