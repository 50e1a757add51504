import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// Replaces the body's stream, if there is one, by its bytes. Blocks until all of them are read.
    ///
    /// - Throws: `.invalidRequest` for a stream that can't be read.
    package mutating func readBodyStream() throws(ServiceError) {
        guard httpBody == nil, let httpBodyStream else { return }
        httpBody = try RequestBody.opening(httpBodyStream, length: nil, inMemory: .max, while: { true }).data
    }

    /// Prepares the body's stream for sending. A short one becomes `httpBody`, which can be sent again; a longer one is
    /// read on while it is sent, once. A body that can be opened again stays as it is.
    ///
    /// - Parameter isWanted: asked before each read.
    /// - Throws: `.invalidRequest` for a stream that can't be read, `.cancelled` where it isn't wanted any more.
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

    /// The error of a request that RFC 9110 forbids, a TRACE with content (§9.3.8); nil for any other.
    var problemToSend: ServiceError? {
        guard httpMethod == "TRACE", httpBody?.isEmpty == false || httpBodyStream != nil else { return nil }
        return ServiceError(.invalidRequest, detail: "a TRACE request can't have a body")
    }
}

extension URLRequest {
    /// What `Content-Length` says, if that is a length.
    var statedBodyLength: Int64? {
        value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
    }

    /// Whether the body, if there is one, can be sent more than once.
    var canBeSentAgain: Bool { streamedBody?.isRepeatable ?? (httpBodyStream == nil) }
}
