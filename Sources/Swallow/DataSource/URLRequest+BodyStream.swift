import Foundation

extension URLRequest {
    /// Replaces the stream with its bytes, which may block. Fails if it can't be read. Just removes a tunnel's stream.
    package mutating func readBodyStream() throws(ServiceError) {
        guard httpBody == nil, let httpBodyStream else { return }
        if streamedBody?.isTunnel == true { return self.httpBodyStream = nil }
        httpBody = try RequestBody.opening(httpBodyStream, length: nil, inMemory: .max, while: { true }).data
    }

    /// Moves a stream of at most 256 KiB to `httpBody`. Fails if it can't be read, or with `.cancelled` if not wanted.
    mutating func prepareBodyStream(while isWanted: () -> Bool) throws(ServiceError) {
        if let streamedBody {
            if let data = streamedBody.data { httpBody = data }
            return
        }
        guard httpBody == nil, let httpBodyStream else { return }
        let body = try RequestBody.opening(
            httpBodyStream, length: statedBodyLength, inMemory: 256 * 1024, while: isWanted)
        if let data = body.data { httpBody = data } else { streamedBody = body }
    }
}

extension URLRequest {
    var statedBodyLength: Int64? {
        value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
    }

    var canBeSentAgain: Bool { streamedBody?.isRepeatable ?? (httpBodyStream == nil) }
}

extension URLRequest {
    /// Returns the request, and the body that the session requests from its delegate. Throws if the body can't be sent.
    func withSessionBody() throws(ServiceError) -> (URLRequest, RequestBody?) {
        guard httpBodyStream != nil else { return (self, nil) }
        var request = self
        guard let body = streamedBody else {
            let body = httpBodyStream.map { RequestBody.once($0, length: statedBodyLength) }
            request.httpBodyStream = nil
            return (request, body)
        }
        if let data = body.data {
            request.httpBody = data
            return (request, nil)
        }
        #if canImport(FoundationNetworking)
            if body.isAsynchronous {
                throw ServiceError(
                    .invalidRequest,
                    detail: "URLSession can't send an asynchronous sequence on Linux, but CurlDataSource can")
            }
            // This throws for an unreadable file before anything is sent.
            _ = try body.measure()
        #else
            if body.hasTrailers {
                throw ServiceError(
                    .invalidRequest,
                    detail: "URLSession can't send fields after a body, but CurlDataSource can")
            }
            // A session doesn't determine the length itself, and would send none.
            if let length = try body.measure() {
                request.setValue(String(length), forHTTPHeaderField: "Content-Length")
            }
        #endif
        request.streamedBody = nil
        return (request, body)
    }
}
