import Dispatch
import Foundation

/// The stream that a body is written to.
protocol BodyOutput: AnyObject {
    /// Whether the next write takes a byte at least, without waiting.
    var hasSpaceAvailable: Bool { get }
    /// Returns how many bytes were taken; 0 or less once the reader is gone.
    func write(_ bytes: UnsafePointer<UInt8>, maxLength: Int) -> Int
    func close()
}

extension OutputStream: BodyOutput {}

/// Writes a body whenever its output has room and it has bytes: no thread waits for either.
// Unchecked: all properties that change are touched on `queue` only, where all functions but `start` and `stop` are called.
final class BodyPump: @unchecked Sendable {
    private let queue: DispatchQueue
    private let body: RequestBody
    private let sending: BodySending
    private var output: (any BodyOutput)?
    private var onEnd: (() -> Void)?
    private var pipe: BodyPipe?
    private var hasStarted = false
    /// How many bytes are left out at the beginning.
    private var skipped: Int64
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    /// What of the buffer has yet to be written.
    private var rest = 0..<0

    /// Makes a pump that has not started: the body isn't opened before.
    ///
    /// - Parameters:
    ///   - offset: how many bytes the reader has already.
    ///   - sending: is told of a failure; its cancel stops the pump.
    ///   - queue: a serial one, on which the output is used.
    ///   - onEnd: called on the queue, once, when nothing more is written.
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

    /// Opens the body, and writes what there is room for; a second call does nothing.
    func start() {
        queue.async { self.open() }
    }

    /// Gives the body up. The output stays open: closed, it would make a whole body of what was written so far.
    func stop() {
        queue.async { self.end() }
    }

    private func open() {
        guard !hasStarted, output != nil else { return }
        hasStarted = true
        let reading = DispatchQueue(label: "Swallow.body", target: .global(qos: .userInitiated))
        do throws(ServiceError) {
            // The pipe keeps the pump, until the end.
            let pipe = try BodyPipe(body, run: { reading.async(execute: $0) }) {
                self.queue.async { self.goOn() }
            }
            self.pipe = pipe
            pipe.start()
            goOn()
        } catch {
            fail(with: error)
        }
    }

    /// Writes while there is room and there are bytes; called again when there may be some.
    func goOn() {
        while let output, let pipe, output.hasSpaceAvailable {
            if rest.isEmpty {
                switch buffer.withUnsafeMutableBytes({ pipe.take(into: $0) }) {
                case .bytes(let count):
                    let start = Int(min(skipped, Int64(count)))
                    skipped -= Int64(start)
                    rest = start..<count
                case .later: return
                case .end:
                    output.close()
                    return end()
                case .failure(let error): return fail(with: error)
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
