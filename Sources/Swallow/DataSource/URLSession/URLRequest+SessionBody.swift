import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// The request with its streamed body as a session takes it, from its beginning.
    ///
    /// - Throws: `.invalidRequest` for a body that the session can't send.
    func withSessionBody() throws(ServiceError) -> URLRequest {
        guard let body = streamedBody else { return self }
        var request = self
        if let data = body.data {
            request.httpBody = data
            return request
        }
        #if canImport(FoundationNetworking)
            if body.isAsynchronous {
                throw ServiceError(
                    .invalidRequest,
                    detail: "URLSession can't send an asynchronous sequence on Linux; CurlDataSource can")
            }
            // What is no file is said before anything is sent.
            _ = try body.measure()
        #else
            // A session can't know it, and would send chunks.
            if let length = try body.measure() {
                request.setValue(String(length), forHTTPHeaderField: "Content-Length")
            }
        #endif
        // Each attempt has a stream of its own.
        request.streamedBody = body
        return request
    }
}

/// An attempt that can't be made.
final class FailedDataTask: DataTask {
    private let hop: Lock<Hop?>
    private let error: ServiceError

    init(_ error: ServiceError, _ hop: Hop) {
        self.error = error
        self.hop = Lock(hop)
    }

    func resume() {
        guard let hop = hop.withLock({ $0.take() }) else { return }
        let error = error
        DispatchQueue.global().async { hop.receive(.failure(error)) }
    }

    func suspend() {}
    func cancel() { _ = hop.withLock { $0.take() } }
}
