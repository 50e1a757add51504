#if !canImport(FoundationNetworking)
    import Foundation

    /// A body as one of the platform's own streams: URLSession calls private functions of a stream, so that one of
    /// another class ends the process.
    final class PumpedBody {
        let body: RequestBody
        /// What is to be sent; a file's own stream, or the end of a pair that is written to once it is open.
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
        /// A stream with the body's bytes, which has begun to read them.
        ///
        /// - Parameter offset: how many bytes are left out at its beginning.
        func startSending(after offset: Int64) -> (InputStream, BodySending) {
            let (stream, sending, writer) = BodyWriter.pair(for: self, after: offset)
            writer?.start()
            return (stream, sending)
        }
    }

    /// Writes to the end of a pair of bound streams, whose other end is read by others.
    // Unchecked: `output` and `own` are touched on `queue` only, where the stream's events come, too, and `input` isn't changed.
    private final class BodyWriter: NSObject, StreamDelegate, @unchecked Sendable {
        private let queue = DispatchQueue(label: "Swallow.body.writer", qos: .userInitiated)
        private weak var input: InputStream?
        private let output: OutputStream
        private var pump: BodyPump?
        /// Itself while it is the delegate of the stream, which doesn't keep it.
        private var own: BodyWriter?

        /// The end to be read, and what writes to the other; nothing does where the bytes are in memory.
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

        /// Starts once the other end is open, which no event tells: for a data source of an app's own. It looks less and less
        /// often.
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
