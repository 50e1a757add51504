import Foundation
import Swallow

extension TunnelLink {
    func send(_ message: WebSocket.Message) async throws(ServiceError) -> Bool {
        while true {
            if Task.isCancelled { throw .cancelled }
            let (isSent, wake) = state.withLock { state -> (Bool?, Wakes) in
                if state.refusesMessages { return (false, Wakes()) }
                guard state.hasRoom else { return (nil, Wakes()) }
                return (state.machine.send(message), state.takeWakes())
            }
            wake.perform()
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
        change { $0.hasEnded = true }
        task.withLock { $0 }?.cancel()
    }

    /// Passes output to `send` until nothing can be sent anymore, or until the Swift task is cancelled.
    func send(to send: @Sendable (Data) async throws -> Void) async throws {
        while let bytes = await nextOutput() {
            // A long message is sent in parts, so that `sentByteCount` shows its progress.
            for start in stride(from: 0, to: bytes.count, by: Self.capacity) {
                let part = bytes[start..<min(start + Self.capacity, bytes.count)]
                noteSending(part.count)
                try await send(Data(part))
            }
        }
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

    private func nextOutput() async -> [UInt8]? {
        let number = state.withLock { state in
            state.lastWriterNumber += 1
            return state.lastWriterNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<[UInt8]?, Never>) in
                let (replaced, wake) = state.withLock { state in
                    let replaced = state.writer
                    state.writer = (number, continuation)
                    guard Task.isCancelled else { return (replaced, state.takeWakes()) }
                    // A cancelled transfer must not replace the writer of the transfer after it.
                    defer { state.writer = replaced }
                    return (nil, Wakes(writer: state.writer, bytes: nil))
                }
                // If the handshake is sent again, the writer of its new body replaces the earlier writer.
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

    @discardableResult
    func change<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, wake) = state.withLock { state in (change(&state), state.takeWakes()) }
        wake.perform()
        return result
    }
}

/// Continuations to resume outside the lock of the state.
struct Wakes: Sendable {
    var writer: (number: Int, continuation: CheckedContinuation<[UInt8]?, Never>)?
    var bytes: [UInt8]?
    var senders: [CheckedContinuation<Void, Never>] = []

    func perform() {
        writer?.continuation.resume(returning: bytes)
        for sender in senders { sender.resume() }
    }
}

extension TunnelLink.State {
    var hasRoom: Bool { isOpen && machine.output.count < TunnelLink.capacity }
    var refusesMessages: Bool { hasEnded || machine.hasSentClose }

    /// Takes the continuations that needn't wait any longer.
    mutating func takeWakes() -> Wakes {
        var wakes = Wakes()
        let isOver = hasEnded || machine.hasEnded && machine.hasSentClose
        if writer != nil, isOpen && !machine.output.isEmpty && !hasEnded {
            wakes.writer = writer.take()
            let bytes = machine.takeOutput()
            takenByteCount += bytes.count
            wakes.bytes = bytes
        } else if writer != nil, isOver {
            wakes.writer = writer.take()
        }
        if !waiters.isEmpty, hasRoom || refusesMessages { wakes.senders = waiters.takeAll() }
        return wakes
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
