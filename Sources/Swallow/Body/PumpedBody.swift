#if !canImport(FoundationNetworking)
    import Foundation

    /// A body as one of the platform's own streams. URLSession calls private functions of a stream, so a stream of
    /// another class would crash the process.
    final class PumpedBody {
        let body: RequestBody
        /// The bytes in memory, or one end of a pair. The body is written to the other end after this end opens.
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

    /// Writes a body to one of two bound streams. A data source reads the other stream.
    // Unchecked: `output` and `own` are used on `queue` only, which also delivers the stream's events. `input` doesn't
    // change.
    private final class BodyWriter: NSObject, StreamDelegate, @unchecked Sendable {
        private let queue = DispatchQueue(label: "Swallow.body.writer", qos: .userInitiated)
        private weak var input: InputStream?
        private let output: OutputStream
        private var pump: BodyPump?
        /// The writer itself while it is the stream's delegate, because a stream doesn't keep its delegate alive.
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

        /// No event reports that an app's data source has opened the other end, so this checks at increasing intervals.
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
            case .hasSpaceAvailable: pump?.goOn()
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
