import Foundation

/// A connection after an upgrade from HTTP, for example to a WebSocket. Its functions may block.
package struct UpgradedConnection: Sendable {
    let socket: Socket

    package func receive() -> Data? { (try? socket.receive()).map { Data($0) } }

    @discardableResult
    package func send(_ bytes: Data) -> Bool {
        do { try socket.sendAll(bytes) } catch { return false }
        return true
    }

    package func reset() { socket.resetOnRelease() }
}
