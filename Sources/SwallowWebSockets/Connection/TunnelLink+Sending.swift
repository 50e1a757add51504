import Foundation
import Swallow

extension TunnelLink {
    func send(_ message: WebSocket.Message) async throws(ServiceError) -> Bool {
        while true {
            if Task.isCancelled { throw .cancelled }
            let isSent = change { state -> Bool? in
                if state.refusesMessages { return false }
                return state.hasRoom ? state.machine.send(message) : nil
            }
            if let isSent { return isSent }
            await state.wait { $0.hasRoom || $0.refusesMessages }
        }
    }

    func sendPing(onSent: @escaping @Sendable () -> Void, onPong: @escaping @Sendable () -> Void) {
        change { state in
            guard state.isOpen, state.machine.sendPing() else { return }
            state.ping = (state.takenByteCount + state.machine.output.count, onSent)
        }
    }

    var sentByteCount: Int { state.withLock { $0.sentByteCount } }

    func close(_ closeStatus: WebSocket.CloseStatus) {
        let isOpen = change { state in
            if state.isOpen {
                state.machine.sendClose(code: closeStatus.code.rawValue, reason: closeStatus.reason)
            }
            return state.isOpen
        }
        if !isOpen { cancel() }
    }

    func cancel() {
        let task = change { state in
            state.hasEnded = true
            return state.task
        }
        task?.cancel()
    }

    /// Passes output to `send` until nothing can be sent anymore, or until the Swift task is cancelled.
    func send(to send: @Sendable (Data) async throws -> Void) async throws {
        let (signals, writer) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        setWriter(writer)
        for await _ in signals {
            let bytes = change { $0.takeOutput() }
            // A long message is sent in parts, so that `sentByteCount` shows its progress.
            for start in stride(from: 0, to: bytes.count, by: Self.capacity) {
                let part = bytes[start..<min(start + Self.capacity, bytes.count)]
                noteSending(part.count)
                try await send(Data(part))
            }
        }
    }

    /// If the handshake is sent again, the writer of its new body replaces the earlier writer.
    private func setWriter(_ writer: AsyncStream<Void>.Continuation) {
        let unneeded = change { state -> AsyncStream<Void>.Continuation? in
            // A cancelled transfer must not replace the writer of the transfer after it.
            if Task.isCancelled { return writer }
            defer { state.writer = writer }
            return state.writer
        }
        unneeded?.finish()
    }

    private func noteSending(_ count: Int) {
        let onSent = state.withLock { state -> (@Sendable () -> Void)? in
            state.sentByteCount += count
            guard let ping = state.ping, ping.end <= state.sentByteCount else { return nil }
            state.ping = nil
            return ping.onSent
        }
        onSent?()
    }

    /// Changes the state. Then wakes the writer if it has something to do, and the senders that needn't wait any longer.
    @discardableResult
    func change<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, writer, hasOutput, isOver, senders) = state.withLock { state in
            let result = change(&state)
            let senders = state.hasRoom || state.refusesMessages ? state.waiters.takeAll() : []
            return (result, state.writer, state.hasOutput, state.isOver, senders)
        }
        if hasOutput { writer?.yield() }
        if isOver { writer?.finish() }
        for sender in senders { sender.resume() }
        return result
    }
}

extension TunnelLink.State {
    var hasRoom: Bool { isOpen && machine.output.count < TunnelLink.capacity }
    var refusesMessages: Bool { hasEnded || machine.hasSentClose }
    fileprivate var hasOutput: Bool { isOpen && !hasEnded && !machine.output.isEmpty }
    fileprivate var isOver: Bool { hasEnded || machine.hasEnded && machine.hasSentClose }

    fileprivate mutating func takeOutput() -> [UInt8] {
        guard hasOutput else { return [] }
        let bytes = machine.takeOutput()
        takenByteCount += bytes.count
        return bytes
    }
}

extension WebSocketMachine {
    mutating func send(_ message: WebSocket.Message) -> Bool {
        switch message {
        case .text(let text): sendText(text)
        case .binary(let data): sendBinary(Array(data))
        }
    }
}
