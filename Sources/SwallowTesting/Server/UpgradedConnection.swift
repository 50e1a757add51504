import Foundation

/// A connection after an upgrade from HTTP, for example to a WebSocket. Its functions may block.
package struct UpgradedConnection: Sendable {
    let socket: Socket

    package func receive() -> Data? {
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        guard let count = try? bytes.withUnsafeMutableBytes({ try socket.receive(into: $0) }) else {
            return nil
        }
        return Data(bytes[..<count])
    }

    @discardableResult
    package func send(_ bytes: Data) -> Bool {
        do { try socket.sendAll(bytes) } catch { return false }
        return true
    }

    package func reset() { socket.resetOnRelease() }
}
