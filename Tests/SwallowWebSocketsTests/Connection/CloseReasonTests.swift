import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@testable import SwallowWebSockets

/// A connection that opens no WebSocket, and records how it is closed.
private final class RecordingLink: WebSocketLink {
    let closeStatuses = Recorder<WebSocket.CloseStatus>()
    private let end = Event()

    func run(for owner: any WebSocketLinkOwner) async {
        await end.wait()
        owner.ended(WebSocket.CloseStatus(code: .normal), nil)
    }

    func send(_ message: WebSocket.Message) async throws(ServiceError) -> Bool { false }
    func sendPing(onSent: @escaping @Sendable () -> Void, onPong: @escaping @Sendable () -> Void) {}
    var sentByteCount: Int { 0 }

    func close(_ closeStatus: WebSocket.CloseStatus) {
        closeStatuses.append(closeStatus)
        end.happen()
    }

    func cancel() { end.happen() }
}

@Suite("The reason of a close frame")
struct CloseReasonTests {
    @Test("is shortened to 123 bytes for every kind of connection, between characters")
    func shortening() async {
        let link = RecordingLink()
        let core = WebSocketCore(WebSocket.Settings(), ManualClock()) { link }
        let socket = WebSocket(core, json: (JSON.EncodingOptions(), JSON.DecodingOptions()))
        socket.close(.goingAway, reason: String(repeating: "ü", count: 100))
        let reason = String(repeating: "ü", count: 61)
        #expect(
            await link.closeStatuses.first(1) == [WebSocket.CloseStatus(code: .goingAway, reason: reason)])
        _ = await socket.closeStatus
    }
}
