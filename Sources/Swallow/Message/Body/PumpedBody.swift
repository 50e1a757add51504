#if !canImport(FoundationNetworking)
    import Foundation

    /// A body as one of the platform's own streams: URLSession calls private functions of a stream, so that one of
    /// another class ends the process.
    final class PumpedBody {
        let body: RequestBody
        /// What is to be sent; a file's own stream, or the end of a pair that is written to once it is open.
        let stream: InputStream
        private let pump: BodyPump?
        private let outcome = BodyOutcome()

        init(_ body: RequestBody) {
            self.body = body
            if let data = body.data {
                (stream, pump) = (InputStream(data: data), nil)
                return
            }
            var (input, output): (InputStream?, OutputStream?)
            Stream.getBoundStreams(withBufferSize: 64 * 1024, inputStream: &input, outputStream: &output)
            guard let input, let output else {
                (stream, pump) = (InputStream(data: Data()), nil)
                return
            }
            stream = input
            pump = BodyPump(body, input, output, outcome)
        }

        deinit {
            pump?.stop()
        }

        func cancel() { pump?.stop() }

        /// Why the body couldn't be read to its end.
        var failure: ServiceError? { outcome.failure }

        /// Takes that error, on any thread.
        func whenFailed(_ handler: @escaping @Sendable (ServiceError) -> Void) { outcome.whenFailed(handler) }
    }

    /// What became of a body that is pumped.
    private final class BodyOutcome: Sendable {
        private struct State: Sendable {
            var failure: ServiceError?
            var handler: (@Sendable (ServiceError) -> Void)?
        }

        private let state = Lock(State())

        var failure: ServiceError? { state.withLock { $0.failure } }

        func whenFailed(_ handler: @escaping @Sendable (ServiceError) -> Void) {
            let failure = state.withLock { state in
                state.handler = handler
                return state.failure
            }
            if let failure { handler(failure) }
        }

        func fail(with error: ServiceError) {
            let handler = state.withLock { state in
                state.failure = error
                return state.handler
            }
            handler?(error)
        }
    }

    /// Writes a body to a pair of bound streams.
    // Unchecked: `output` is used by the thread that writes only, and there is one, since the timer that starts it
    // is cancelled before. `input` is set once; the timer's handler, which doesn't run twice at once, looks whether
    // it is open.
    private final class BodyPump: @unchecked Sendable {
        private let body: RequestBody
        private weak var input: InputStream?
        private let output: OutputStream
        private let outcome: BodyOutcome
        private let timer: any DispatchSourceTimer
        private let cancellation = BodyCancellation()
        /// Nobody says when the other end of a pair is opened, so the pump looks.
        private static let interval = DispatchTimeInterval.milliseconds(10)

        init(
            _ body: RequestBody, _ input: InputStream, _ output: OutputStream, _ outcome: BodyOutcome
        ) {
            self.body = body
            self.input = input
            self.output = output
            self.outcome = outcome
            timer = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
            timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
            timer.setEventHandler { [weak self] in self?.startIfOpen() }
            timer.resume()
        }

        func stop() {
            timer.cancel()
            cancellation.cancel()
        }

        private func startIfOpen() {
            guard !timer.isCancelled, let input, input.streamStatus != .notOpen else { return }
            timer.cancel()
            // Writing waits for the reader: a thread of its own, until the reader closes its end.
            Thread.detachNewThread {
                Thread.current.name = "Swallow.body"
                self.write()
            }
        }

        private func write() {
            output.open()
            do throws(ServiceError) {
                let source = try WaitingBody(body)
                cancellation.reach(source)
                var buffer = [UInt8](repeating: 0, count: 64 * 1024)
                while true {
                    let result = buffer.withUnsafeMutableBytes { bytes in
                        Result { () throws(ServiceError) in try source.read(into: bytes) }
                    }
                    let count = try result.get()
                    if count == 0 { break }
                    guard writeAll(buffer, count) else { return }
                }
                output.close()
            } catch {
                // The end stays open: a closed one would make a whole body of what was sent so far.
                outcome.fail(with: error)
            }
        }

        private func writeAll(_ buffer: [UInt8], _ count: Int) -> Bool {
            var written = 0
            while written < count {
                let step = buffer.withUnsafeBufferPointer { bytes in
                    bytes.baseAddress.map { output.write($0 + written, maxLength: count - written) } ?? -1
                }
                if step <= 0 { return false }
                written += step
            }
            return true
        }
    }
#endif
