import Foundation

extension URLRequest {
    /// The body that is read while it is sent. `nil` if the request has `httpBody`, the app's own stream or no body.
    /// Setting a body here removes `httpBody`, and setting `httpBody` removes this body. `httpBodyStream` returns the
    /// same bytes, but reading it blocks until they arrive.
    public var streamedBody: RequestBody? {
        get { bodyStream?.body }
        set {
            if let newValue {
                setBodyStream(of: newValue)
            } else if streamedBody != nil {
                httpBodyStream = nil
            }
        }
    }

    package func cancelStreamedBody() { bodyStream?.sending.cancel() }
}

#if canImport(FoundationNetworking)
    extension URLRequest {
        private var bodyStream: RequestBodyStream? { httpBodyStream as? RequestBodyStream }

        private mutating func setBodyStream(of body: RequestBody) {
            httpBodyStream = RequestBodyStream(body)
        }
    }

    /// A streamed body as a stream. Reading blocks. Reopening the stream restarts a repeatable body.
    final class RequestBodyStream: InputStream {
        let body: RequestBody
        let sending = BodySending()
        private var status = Stream.Status.notOpen
        private var reader: (any BodyReader)?
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
                let reader = try body.reader(length: try body.measure())
                if let parts = reader as? PartsReader { sending.onCancel { [weak parts] in parts?.cancel() } }
                self.reader = reader
                hasRead = false
                status = .open
            } catch {
                fail(error)
            }
        }

        override func close() {
            reader = nil
            status = .closed
        }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
            guard status == .open, let reader else { return status == .atEnd ? 0 : -1 }
            hasRead = true
            if length == 0 { return 0 }
            do throws(ServiceError) {
                guard let data = try reader.read(upTo: length) else {
                    status = .atEnd
                    return 0
                }
                data.copyBytes(to: buffer, count: data.count)
                return data.count
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
        func startSending(after offset: Int64) -> (InputStream, BodySending) {
            let stream = RequestBodyStream(self)
            return (stream, stream.sending)
        }
    }
#else
    extension URLRequest {
        private static let bodyKey = "Swallow.streamedBody"

        private var bodyStream: PumpedBody? {
            // Setting `httpBody` removes the stream but keeps the property.
            if httpBodyStream == nil { return nil }
            return URLProtocol.property(forKey: Self.bodyKey, in: self) as? PumpedBody
        }

        private mutating func setBodyStream(of body: RequestBody) {
            let pumped = PumpedBody(body)
            httpBodyStream = pumped.stream
            guard let mutable = (self as NSURLRequest).mutableCopy() as? NSMutableURLRequest else { return }
            URLProtocol.setProperty(pumped, forKey: Self.bodyKey, in: mutable)
            self = mutable as URLRequest
        }
    }
#endif
