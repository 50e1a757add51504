#if !canImport(FoundationNetworking)
    import Foundation

    /// A body with a stream of the system, because URLSession crashes with a subclass of `InputStream`.
    final class PumpedBody {
        let body: RequestBody
        let stream: InputStream
        let sending: BodySending

        init(_ body: RequestBody) {
            self.body = body
            let writer: BodyWriter?
            (stream, sending, writer) = BodyWriter.pair(for: body)
            writer?.startOnceOpen(after: 10)
        }

        deinit {
            sending.cancel()
        }
    }

    extension RequestBody {
        func startSending(after offset: Int64) -> (InputStream, BodySending) {
            let (stream, sending, writer) = BodyWriter.pair(for: self, after: offset)
            writer?.start()
            return (stream, sending)
        }
    }

    // Unchecked: only `queue` uses `output`, `own` and `pump`. It also delivers the stream's events.
    private final class BodyWriter: NSObject, StreamDelegate, @unchecked Sendable {
        private let queue = DispatchQueue(label: "Swallow.body.writer", qos: .userInitiated)
        private weak var input: InputStream?
        private let output: OutputStream
        private var pump: BodyPump?
        /// The writer itself while it is the stream's delegate, because a stream doesn't retain its delegate.
        private var own: BodyWriter?

        static func pair(
            for body: RequestBody, after offset: Int64 = 0
        ) -> (InputStream, BodySending, BodyWriter?) {
            let sending = BodySending()
            if let data = body.data { return (InputStream(data: data.dropFirst(Int(offset))), sending, nil) }
            var (input, output): (InputStream?, OutputStream?)
            Stream.getBoundStreams(withBufferSize: 64 * 1024, inputStream: &input, outputStream: &output)
            guard let input, let output else {
                sending.fail(with: .unreadable(underlying: nil))
                return (InputStream(data: Data()), sending, nil)
            }
            return (input, sending, BodyWriter(body, after: offset, input, output, sending))
        }

        private init(
            _ body: RequestBody, after offset: Int64, _ input: InputStream, _ output: OutputStream,
            _ sending: BodySending
        ) {
            self.input = input
            self.output = output
            super.init()
            pump = BodyPump(body, from: offset, to: output, sending, on: queue) { [weak self] in self?.end() }
        }

        func start() {
            queue.async { self.begin() }
        }

        /// Checks, after delays that grow to 1 s, whether a data source has opened `input`. No event reports this.
        func startOnceOpen(after milliseconds: Int) {
            queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
                guard let self, let input else { return }
                if input.streamStatus != .notOpen { return begin() }
                startOnceOpen(after: min(2 * milliseconds, 1000))
            }
        }

        private func begin() {
            guard own == nil, pump != nil else { return }
            own = self
            output.delegate = self
            CFWriteStreamSetDispatchQueue(output as CFWriteStream, queue)
            output.open()
            pump?.start()
        }

        func stream(_ stream: Stream, handle event: Stream.Event) {
            switch event {
            case .hasSpaceAvailable: pump?.continueWriting()
            case .errorOccurred, .endEncountered: pump?.stop()
            default: break
            }
        }

        private func end() {
            output.delegate = nil
            CFWriteStreamSetDispatchQueue(output as CFWriteStream, nil)
            pump = nil
            own = nil
        }
    }
#endif
