import Foundation

/// A connection that has left HTTP, for example for a WebSocket. Its functions are called on the connection's own
/// thread, and may block it.
package struct UpgradedConnection: Sendable {
    let socket: Socket

    /// Returns the next bytes, or `nil` after the connection has ended.
    package func receive() -> Data? {
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        // A Result, because `withUnsafeMutableBytes` would lose the type of the error.
        let received = bytes.withUnsafeMutableBytes { bytes in
            Result { () throws(ConnectionFailure) in try socket.receive(into: bytes) }
        }
        guard let count = try? received.get() else { return nil }
        return Data(bytes[..<count])
    }

    /// Returns `false` if the connection has ended.
    @discardableResult
    package func send(_ bytes: Data) -> Bool {
        do { try socket.sendAll(bytes) } catch { return false }
        return true
    }

    /// Resets the connection when the server is done with it.
    package func reset() { socket.resetOnRelease() }
}
