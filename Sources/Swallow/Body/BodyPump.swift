import Dispatch
import Foundation

protocol BodyOutput: AnyObject {
    var hasSpaceAvailable: Bool { get }
    func write(_ bytes: UnsafePointer<UInt8>, maxLength: Int) -> Int
    func close()
}

extension OutputStream: BodyOutput {}

/// Writes a body to an output when the body has bytes and the output has space. `queue` waits for neither.
// Unchecked: only `queue` uses the variable properties. Any thread may call `start` and `stop`.
final class BodyPump: @unchecked Sendable {
    private let queue: DispatchQueue
    private let body: RequestBody
    private let sending: BodySending
    private var output: (any BodyOutput)?
    private var onEnd: (() -> Void)?
    private var pipe: BodyPipe?
    private var skipped: Int64
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    private var rest = 0..<0

    /// Creates a pump that skips the first `offset` bytes and calls `onEnd` at most once, on `queue`.
    init(
        _ body: RequestBody, from offset: Int64 = 0, to output: any BodyOutput, _ sending: BodySending,
        on queue: DispatchQueue, onEnd: @escaping () -> Void = {}
    ) {
        self.body = body
        self.output = output
        self.sending = sending
        self.queue = queue
        self.onEnd = onEnd
        skipped = offset
        sending.onCancel { [weak self] in self?.stop() }
    }

    func start() {
        queue.async { self.open() }
    }

    /// Stops without closing the output, because closing it would make an incomplete body look complete.
    func stop() {
        queue.async { self.end() }
    }

    private func open() {
        guard pipe == nil, output != nil else { return }
        let reading = DispatchQueue(label: "Swallow.body", target: .global(qos: .userInitiated))
        do throws(ServiceError) {
            // The trailing closure retains the pump at least until `end()` releases the pipe.
            let pipe = try BodyPipe(body, run: { reading.async(execute: $0) }) {
                self.queue.async { self.continueWriting() }
            }
            self.pipe = pipe
            pipe.start()
            continueWriting()
        } catch {
            fail(with: error)
        }
    }

    func continueWriting() {
        while let output, let pipe, output.hasSpaceAvailable {
            if rest.isEmpty {
                switch buffer.withUnsafeMutableBytes({ pipe.fill($0) }) {
                case .bytes(let count):
                    let start = Int(min(skipped, Int64(count)))
                    skipped -= Int64(start)
                    rest = start..<count
                case .later: return
                case .end:
                    output.close()
                    return end()
                case .failure(let error): return fail(with: ServiceError(thrown: error, request: nil))
                }
            } else {
                let count = buffer.withUnsafeBufferPointer { bytes in
                    bytes.baseAddress.map { output.write($0 + rest.lowerBound, maxLength: rest.count) } ?? -1
                }
                if count <= 0 { return end() }
                rest = rest.dropFirst(count)
            }
        }
    }

    private func fail(with error: ServiceError) {
        end()
        if !error.isCancelled { sending.fail(with: error) }
    }

    private func end() {
        guard output != nil else { return }
        output = nil
        pipe?.cancel()
        pipe = nil
        let onEnd = onEnd.take()
        onEnd?()
    }
}

final class BodySending: Sendable {
    private struct State: Sendable {
        var stop: (@Sendable () -> Void)?
        var isCancelled = false
        var failure: ServiceError?
        var handler: (@Sendable (ServiceError) -> Void)?
    }

    private let state = Lock(State())

    var failure: ServiceError? { state.withLock { $0.failure } }

    func onCancel(_ stop: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.stop = stop }
            return state.isCancelled
        }
        if isCancelled { stop() }
    }

    func cancel() {
        let (stop, handler) = state.withLock { state in
            state.isCancelled = true
            return (state.stop.take(), state.handler.take())
        }
        withExtendedLifetime(handler) { stop?() }
    }

    func whenFailed(_ handler: @escaping @Sendable (ServiceError) -> Void) {
        let failure = state.withLock { state in
            if state.failure == nil, !state.isCancelled { state.handler = handler }
            return state.failure
        }
        if let failure { handler(failure) }
    }

    func fail(with error: ServiceError) {
        let handler = state.withLock { state in
            state.failure = error
            return state.handler.take()
        }
        handler?(error)
    }
}
