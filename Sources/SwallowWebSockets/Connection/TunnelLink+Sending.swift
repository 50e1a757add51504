import Foundation
import Swallow

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
                    guard Task.isCancelled else { return (replaced, state.takeWakes()) }
                    // A cancelled attempt must not replace the writer of the attempt after it.
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

    private func nextNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    @discardableResult
    func change<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, wake) = state.withLock { state in (change(&state), state.takeWakes()) }
        wake.perform()
        return result
    }
}

/// Continuations to resume outside the lock.
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
    /// Takes the continuations that need not wait any longer.
    mutating func takeWakes() -> Wakes {
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
