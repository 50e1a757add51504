import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A WebSocket through a service's request. The request's body consists of the frames that the client sends, and the
/// response's body of the frames that the server sends. So the handshake has the service's headers, cookies,
/// credentials, redirects and log, and both directions have the backpressure of bodies.
final class TunnelLink: WebSocketLink {
    fileprivate struct State: Sendable {
        var machine: WebSocketMachine
        var isOpen = false
        /// Whether nothing can be sent anymore.
        var hasEnded = false
        var writer: (number: Int, continuation: CheckedContinuation<[UInt8]?, Never>)?
        var senders: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastNumber = 0
    }

    /// If this many bytes wait, `send` waits. The request's body holds 256 KB more.
    fileprivate static let capacity = 64 * 1024

    private let handshake: WebSocketHandshake
    private let settings: WebSocket.Settings
    private let state: Lock<State>
    private let connect: @Sendable (TunnelLink) -> (task: ServiceTask, bytes: ResponseBody)
    private let task = Lock<ServiceTask?>(nil)

    /// - Parameter connect: Creates the request. The link sends bytes with ``send(to:)``.
    init(
        _ handshake: WebSocketHandshake, _ settings: WebSocket.Settings,
        connect: @escaping @Sendable (TunnelLink) -> (task: ServiceTask, bytes: ResponseBody)
    ) {
        self.handshake = handshake
        self.settings = settings
        self.connect = connect
        state = Lock(State(machine: WebSocketMachine(maximumMessageSize: settings.maximumMessageSize)))
    }
}

// MARK: - Receiving

extension TunnelLink {
    func run(for owner: any WebSocketLinkOwner) async {
        let (task, bytes) = connect(self)
        let isCancelled = self.task.withLock { own in
            own = task
            return state.withLock { $0.hasEnded }
        }
        if isCancelled { task.cancel() }
        do throws(ServiceError) {
            let head = try await bytes.head
            try open(after: head, of: task, owner)
            var parts = bytes.makeAsyncIterator()
            while let part = try await parts.next() { await read(part, owner) }
            throw ServiceError(
                transport: URLError(.networkConnectionLost),
                detail: "the server closed the connection without a close frame", task)
        } catch {
            owner.ended(WebSocket.Closure(code: .abnormal), error)
        }
        cancel()
        self.task.withLock { $0 = nil }
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
        owner.opened(head, subprotocol: agreement.subprotocol)
        let wake = state.withLock { state in
            state.isOpen = true
            if let terms = agreement.deflate { state.machine.deflate = WebSocketDeflate(terms) }
            return state.takeWakes()
        }
        wake.perform()
    }

    private func read(_ part: Data, _ owner: any WebSocketLinkOwner) async {
        var offset = 0
        while let event = nextEvent(in: part, &offset) {
            switch event {
            case .text(let text): await owner.receive(.text(text))
            case .binary(let bytes): await owner.receive(.binary(Data(bytes)))
            case .ping: break
            case .pong: owner.receivedPong()
            case .close(let code, let reason):
                owner.ended(
                    WebSocket.Closure(code: WebSocket.CloseCode(rawValue: code), reason: reason), nil)
            case .failure(let failure):
                let closure = WebSocket.Closure(
                    code: WebSocket.CloseCode(rawValue: failure.code), reason: failure.text)
                owner.ended(
                    closure, ServiceError(.invalidResponse, detail: failure.text, underlying: closure))
            }
        }
    }

    private func nextEvent(in part: Data, _ offset: inout Int) -> WebSocketMachine.Event? {
        let (event, wake) = part.withUnsafeBytes { bytes in
            state.withLock { state in
                var rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                let event = state.machine.nextEvent(in: &rest)
                offset = bytes.count - rest.count
                return (event, state.takeWakes())
            }
        }
        wake.perform()
        return event
    }
}

// MARK: - Sending

extension TunnelLink {
    func send(_ message: WebSocket.Message) async throws(ServiceError) -> Bool {
        while true {
            if Task.isCancelled { throw .cancelled }
            let (isSent, wake) = state.withLock { state -> (Bool?, Wakes) in
                if state.hasEnded || state.machine.hasSentClose { return (false, Wakes()) }
                guard state.isOpen, state.machine.output.count < Self.capacity else { return (nil, Wakes()) }
                let isSent =
                    switch message {
                    case .text(let text): state.machine.sendText(text)
                    case .binary(let data): state.machine.sendBinary(Array(data))
                    }
                return (isSent, state.takeWakes())
            }
            wake.perform()
            if let isSent { return isSent }
            await roomToSend()
        }
    }

    func sendPing(_ onPong: @escaping @Sendable () -> Void) {
        change { state in if state.isOpen { _ = state.machine.sendPing() } }
    }

    func close(_ closure: WebSocket.Closure) {
        let isOpen = change { state in
            if state.isOpen { state.machine.sendClose(code: closure.code.rawValue, reason: closure.reason) }
            return state.isOpen
        }
        if !isOpen { cancel() }
    }

    func cancel() {
        change { $0.hasEnded = true }
        task.withLock { $0 }?.cancel()
    }

    /// Sends bytes until nothing can be sent anymore, or until the Swift task is cancelled.
    func send(to send: @Sendable (Data) async throws -> Void) async throws {
        while let bytes = await nextOutput() { try await send(Data(bytes)) }
    }

    private func roomToSend() async {
        let number = nextNumber()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayWait = state.withLock { state in
                    let hasRoom = state.isOpen && state.machine.output.count < Self.capacity
                    if hasRoom || state.hasEnded || state.machine.hasSentClose || Task.isCancelled {
                        return false
                    }
                    state.senders[number] = continuation
                    return true
                }
                if !mayWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.senders.removeValue(forKey: number) }?.resume()
        }
    }

    private func nextOutput() async -> [UInt8]? {
        let number = nextNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<[UInt8]?, Never>) in
                let (replaced, wake) = state.withLock { state in
                    let replaced = state.writer
                    state.writer = (number, continuation)
                    let wake =
                        Task.isCancelled ? Wakes(writer: state.writer.take(), bytes: nil) : state.takeWakes()
                    return (replaced, wake)
                }
                // A handshake that is sent again has another writer.
                replaced?.continuation.resume(returning: nil)
                wake.perform()
            }
        } onCancel: {
            let writer = state.withLock { state in
                state.writer?.number == number ? state.writer.take() : nil
            }
            writer?.continuation.resume(returning: nil)
        }
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    @discardableResult
    private func change<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, wake) = state.withLock { state in (change(&state), state.takeWakes()) }
        wake.perform()
        return result
    }
}

/// Continuations to resume outside the lock.
private struct Wakes: Sendable {
    var writer: (number: Int, continuation: CheckedContinuation<[UInt8]?, Never>)?
    var bytes: [UInt8]?
    var senders: [CheckedContinuation<Void, Never>] = []

    func perform() {
        writer?.continuation.resume(returning: bytes)
        for sender in senders { sender.resume() }
    }
}

extension TunnelLink.State {
    /// Takes the continuations that need not wait any longer.
    fileprivate mutating func takeWakes() -> Wakes {
        var wakes = Wakes()
        let isOver = hasEnded || machine.hasEnded && machine.hasSentClose
        if writer != nil, isOpen && !machine.output.isEmpty && !hasEnded {
            wakes.writer = writer.take()
            wakes.bytes = machine.takeOutput()
        } else if writer != nil, isOver {
            wakes.writer = writer.take()
        }
        let hasRoom = isOpen && machine.output.count < TunnelLink.capacity
        if !senders.isEmpty, hasRoom || isOver || machine.hasSentClose {
            wakes.senders = Array(senders.values)
            senders = [:]
        }
        return wakes
    }
}

extension ServiceError {
    init(transport error: URLError, detail: String, _ task: ServiceTask) {
        self.init(.transport(error), detail: detail, request: task.request, underlying: error)
    }
}

extension Optional {
    mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }
}
