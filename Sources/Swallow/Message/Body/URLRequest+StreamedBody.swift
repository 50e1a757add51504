import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// The body that is read in steps; nil where there is none, or the body is `httpBody`.
    ///
    /// Setting it removes `httpBody`, and setting `httpBody` removes it. It travels in `httpBodyStream`: a data source
    /// that doesn't know of it reads a stream like any other, by waiting for its bytes.
    public var streamedBody: RequestBody? {
        get { BodyCarrier.of(self)?.body }
        set {
            if let newValue {
                BodyCarrier.set(newValue, in: &self)
            } else if streamedBody != nil {
                httpBodyStream = nil
            }
        }
    }
}

extension URLRequest {
    /// Ends the reading of its streamed body, also on a thread that waits for bytes.
    package func cancelStreamedBody() { BodyCarrier.of(self)?.sending.cancel() }
}

#if canImport(FoundationNetworking)
    private enum BodyCarrier {
        static func of(_ request: URLRequest) -> RequestBodyStream? {
            request.httpBodyStream as? RequestBodyStream
        }

        static func set(_ body: RequestBody, in request: inout URLRequest) {
            request.httpBodyStream = RequestBodyStream(body)
        }
    }

    /// A body as a stream, for those who know no other; reading it waits for bytes. Opened once more, it begins anew
    /// where the body can.
    final class RequestBodyStream: InputStream {
        let body: RequestBody
        let sending = BodySending()
        private var status = Stream.Status.notOpen
        private var source: WaitingBody?
        private var hasRead = false

        init(_ body: RequestBody) {
            self.body = body
            super.init(data: Data())
        }

        override var streamStatus: Stream.Status { status }
        override var streamError: (any Error)? { sending.failure }
        override var hasBytesAvailable: Bool { status == .open }

        override func open() {
            guard status != .open || hasRead else { return }
            do throws(ServiceError) {
                let source = try WaitingBody(body)
                if let pipe = source.pipe { sending.onCancel { pipe.cancel() } }
                self.source = source
                hasRead = false
                status = .open
            } catch {
                fail(error)
            }
        }

        override func close() {
            source = nil
            status = .closed
        }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
            guard status == .open, let source else { return status == .atEnd ? 0 : -1 }
            hasRead = true
            do throws(ServiceError) {
                let count = try source.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
                if count == 0, length > 0 { status = .atEnd }
                return count
            } catch {
                fail(error)
                return -1
            }
        }

        override func getBuffer(
            _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
        ) -> Bool {
            false
        }

        private func fail(_ error: ServiceError) {
            sending.fail(with: error)
            status = .error
        }
    }

    extension RequestBody {
        /// A stream with the body's bytes from its beginning, read when it is open.
        ///
        /// - Parameter offset: 0; others are asked for by other platforms' sessions only.
        func startSending(after offset: Int64) -> (InputStream, BodySending) {
            let stream = RequestBodyStream(self)
            return (stream, stream.sending)
        }
    }
#else
    private enum BodyCarrier {
        private static let key = "Swallow.streamedBody"

        static func of(_ request: URLRequest) -> PumpedBody? {
            // Setting httpBody removes the stream, but no property.
            guard request.httpBodyStream != nil else { return nil }
            return URLProtocol.property(forKey: key, in: request) as? PumpedBody
        }

        static func set(_ body: RequestBody, in request: inout URLRequest) {
            let pumped = PumpedBody(body)
            request.httpBodyStream = pumped.stream
            guard let mutable = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest else {
                return
            }
            URLProtocol.setProperty(pumped, forKey: key, in: mutable)
            request = mutable as URLRequest
        }
    }
#endif

/// Reads a body by waiting for its bytes.
final class WaitingBody {
    private enum Source {
        case reader(any BodyReader)
        case pipe(BodyPipe, DispatchSemaphore)
    }

    private let source: Source

    init(_ body: RequestBody) throws(ServiceError) {
        if body.isAsynchronous {
            let ready = DispatchSemaphore(value: 0)
            let pipe = try BodyPipe(body, run: { $0() }, onReady: { ready.signal() })
            pipe.start()
            source = .pipe(pipe, ready)
        } else {
            source = .reader(try body.reader(length: try body.measure()))
        }
    }

    deinit {
        pipe?.cancel()
    }

    /// What is waited for.
    var pipe: BodyPipe? { if case .pipe(let pipe, _) = source { pipe } else { nil } }

    /// The number of bytes that were read; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ServiceError) -> Int {
        switch source {
        case .reader(let reader):
            guard !buffer.isEmpty, let data = try reader.read(upTo: buffer.count) else { return 0 }
            return data.copyBytes(to: buffer)
        case .pipe(let pipe, let ready):
            while true {
                switch pipe.take(into: buffer) {
                case .bytes(let count): return count
                case .later: ready.wait()
                case .end: return 0
                case .failure(let error): throw error
                }
            }
        }
    }
}

extension RequestBody {
    /// All bytes of a body that can be sent more than once; waits for them, so it is for a thread that may.
    ///
    /// - Returns: nil for a body that goes out once, and for one with more bytes than the limit.
    package func bytes(upTo limit: Int) throws -> Data? {
        if let data { return data.count > limit ? nil : data }
        guard isRepeatable else { return nil }
        let body = try WaitingBody(self)
        var (data, buffer) = (Data(), [UInt8](repeating: 0, count: 65_536))
        while data.count <= limit {
            let count = try buffer.withUnsafeMutableBytes { try body.read(into: $0) }
            if count == 0 { return data }
            data.append(contentsOf: buffer.prefix(count))
        }
        return nil
    }
}
