import Foundation
import LoopbackServer
import SwallowTesting
import SwallowWebSockets

/// The server's side of one WebSocket. Its functions may block. Any thread may call them until the closure that serves
/// the WebSocket returns.
// Unchecked, because the variables are only used while the lock is held.
package final class ServerSocket: @unchecked Sendable {
    package typealias Event = WebSocketMachine.Event

    package let request: LoopbackServer.Request
    private let connection: UpgradedConnection
    // A `Lock` must not be held while a call blocks.
    private let lock = NSLock()
    private var machine = WebSocketMachine.server()
    private var events: [Event] = []

    init(_ request: LoopbackServer.Request, _ connection: UpgradedConnection) {
        (self.request, self.connection) = (request, connection)
    }

    /// Returns the next event, or `nil` after the client's close frame, and after the connection has ended.
    package func next() -> Event? {
        while true {
            if let event = lock.withLock({ events.isEmpty ? nil : events.removeFirst() }) { return event }
            guard !lock.withLock({ machine.hasEnded }), let bytes = connection.receive() else { return nil }
            change { machine in machine.receive(Array(bytes)) { _, event in events.append(event) } }
        }
    }

    package func send(_ text: String) { change { _ = $0.sendText(text) } }
    package func send(_ bytes: [UInt8]) { change { _ = $0.sendBinary(bytes) } }
    package func ping(_ payload: [UInt8]) { change { _ = $0.sendPing(payload) } }
    package func close(_ code: UInt16, _ reason: String = "") {
        change { $0.sendClose(code: code, reason: reason) }
    }
    package func reset() { connection.reset() }

    /// Sends bytes that needn't be frames. Returns `false` if the connection has ended.
    package func send(raw bytes: [UInt8]) -> Bool { connection.send(Data(bytes)) }
    package func receiveRaw() -> [UInt8]? { connection.receive().map { Array($0) } }

    /// Sends each message back until the client closes.
    package func echo() {
        while let event = next() {
            switch event {
            case .text(let text): send(text)
            case .binary(let bytes): send(bytes)
            case .close, .failure: return
            case .ping, .pong: break
            }
        }
    }

    private func change(_ change: (inout WebSocketMachine) -> Void) {
        lock.withLock {
            change(&machine)
            // Sent under the lock, so that the frames of several threads aren't mixed.
            connection.send(Data(machine.takeOutput()))
        }
    }
}
