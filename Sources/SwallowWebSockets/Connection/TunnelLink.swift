import Foundation
import Swallow

/// A WebSocket through a service's request. The frames of both sides are the bodies of the request and its response, so
/// the handshake has the service's headers, cookies, credentials, redirects and log.
final class TunnelLink: WebSocketLink {
    struct State: AwaitedState {
        var machine: WebSocketMachine
        var task: ServiceTask?
        var isOpen = false
        var hasEnded = false
        var writer: AsyncStream<Void>.Continuation?
        var waiters = Waiters()
        /// The number of bytes that the writer has taken.
        var takenByteCount = 0
        /// The number of bytes that the writer has begun to send.
        var sentByteCount = 0
        /// The last ping, until the writer has begun to send its last byte.
        var ping: (end: Int, onSent: @Sendable () -> Void)?
    }

    /// If this many bytes wait for the writer, `send` waits. The request's body buffers 256 KiB more.
    static let capacity = 64 * 1024

    private let handshake: WebSocketHandshake
    private let settings: WebSocket.Settings
    let state: Lock<State>
    private let connect: Connect

    typealias Connect =
        @Sendable (TunnelLink) throws(ServiceError) -> (task: ServiceTask, bytes: ResponseBody)

    /// - Parameter connect: Creates the task, or throws the reason why there is none. The body of its request calls
    ///   ``send(to:)``.
    init(
        _ handshake: WebSocketHandshake, _ settings: WebSocket.Settings, connect: @escaping Connect
    ) {
        self.handshake = handshake
        self.settings = settings
        self.connect = connect
        state = Lock(
            State(machine: WebSocketMachine(maximumMessageSize: max(0, settings.maximumMessageSize))))
    }
}

extension TunnelLink {
    func run(for owner: any WebSocketLinkOwner) async {
        do throws(ServiceError) {
            let (task, bytes) = try connect(self)
            let isCancelled = state.withLock { state in
                state.task = task
                return state.hasEnded
            }
            if isCancelled { task.cancel() }
            let head = try await bytes.head
            try open(after: head, of: task, owner)
            var parts = bytes.makeAsyncIterator()
            while let part = try await parts.next() {
                owner.noteActivity()
                await read(part, owner)
            }
            let lost = URLError(.networkConnectionLost)
            throw ServiceError(
                .transport(lost), detail: "the server closed the connection without a close frame",
                request: task.request, underlying: lost)
        } catch {
            owner.ended(WebSocket.CloseStatus(code: .abnormal), error)
        }
        cancel()
        // Released outside the lock.
        _ = state.withLock { $0.task.take() }
    }

    private func open(
        after head: HTTPURLResponse, of task: ServiceTask, _ owner: any WebSocketLinkOwner
    ) throws(ServiceError) {
        let agreement: WebSocketHandshake.Agreement
        do {
            agreement = try handshake.agreement { head.value(forHTTPHeaderField: $0) }
        } catch {
            task.cancel()
            throw ServiceError(.invalidResponse, detail: error.text, request: task.request, response: head)
        }
        let firstMessages = settings.firstMessages()
        state.withLock { state in
            state.isOpen = true
            if let terms = agreement.deflate { state.machine.deflate = WebSocketDeflate(terms) }
            for message in firstMessages { _ = state.machine.send(message) }
        }
        owner.opened(head, subprotocol: agreement.subprotocol)
        // Wakes the senders after the owner, so that the WebSocket is open when a `send` returns.
        change { _ in }
    }

    private func read(_ part: Data, _ owner: any WebSocketLinkOwner) async {
        var offset = 0
        while let event = nextEvent(in: part, &offset) {
            switch event {
            case .text(let text): await owner.receive(.text(text))
            case .binary(let bytes): await owner.receive(.binary(Data(bytes)))
            case .ping, .pong: break
            case .close(let code, let reason):
                owner.ended(
                    WebSocket.CloseStatus(code: WebSocket.CloseCode(rawValue: code), reason: reason), nil)
            case .failure(let failure):
                let closeStatus = WebSocket.CloseStatus(
                    code: WebSocket.CloseCode(rawValue: failure.code), reason: failure.text)
                owner.ended(
                    closeStatus, ServiceError(.invalidResponse, detail: failure.text, underlying: closeStatus)
                )
            }
        }
    }

    private func nextEvent(in part: Data, _ offset: inout Int) -> WebSocketMachine.Event? {
        part.withUnsafeBytes { bytes in
            change { state in
                var rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                defer { offset = bytes.count - rest.count }
                return state.machine.nextEvent(in: &rest)
            }
        }
    }
}
