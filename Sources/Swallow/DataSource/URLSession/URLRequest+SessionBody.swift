import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// The session requests the returned body from its delegate each time it sends the request. Throws
    /// `.invalidRequest` for a body that the session can't send.
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
            // A session doesn't determine the length itself, and would send chunks.
            if let length = try body.measure() {
                request.setValue(String(length), forHTTPHeaderField: "Content-Length")
            }
        #endif
        request.streamedBody = nil
        return (request, body)
    }
}
