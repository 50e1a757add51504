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
    package func cancelStreamedBody() { BodyCarrier.of(self)?.cancel() }

    /// Why its streamed body couldn't be read to its end, where somebody read it as a stream.
    var bodyFailure: ServiceError? { BodyCarrier.of(self)?.failure }

    #if !canImport(FoundationNetworking)
        /// Takes the error of a streamed body that can't be read to its end, on any thread.
        func whenBodyFails(_ handler: @escaping @Sendable (ServiceError) -> Void) {
            BodyCarrier.of(self)?.whenFailed(handler)
        }
    #endif
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
        private var status = Stream.Status.notOpen
        /// Asked for on other threads, too.
        private let error = Lock<ServiceError?>(nil)
        private var source: WaitingBody?
        private let cancellation = BodyCancellation()

        init(_ body: RequestBody) {
            self.body = body
            super.init(data: Data())
        }

        func cancel() { cancellation.cancel() }

        override var streamStatus: Stream.Status { status }
        override var streamError: (any Error)? { failure }
        var failure: ServiceError? { error.withLock { $0 } }
        override var hasBytesAvailable: Bool { status == .open }

        override func open() {
            guard status != .open else { return }
            do throws(ServiceError) {
                let source = try WaitingBody(body)
                cancellation.reach(source)
                self.source = source
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
            self.error.withLock { $0 = error }
            status = .error
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

/// Reaches the reading of a body from other threads.
final class BodyCancellation: Sendable {
    private struct State: Sendable {
        var pipe: BodyPipe?
        var isCancelled = false
    }

    private let state = Lock(State())

    func reach(_ source: WaitingBody) {
        let isCancelled = state.withLock { state in
            state.pipe = source.pipe
            return state.isCancelled
        }
        if isCancelled { source.pipe?.cancel() }
    }

    func cancel() {
        let pipe = state.withLock { state in
            state.isCancelled = true
            return state.pipe
        }
        pipe?.cancel()
    }
}

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
