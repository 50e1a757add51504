import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// Takes the bytes of the body's stream, where it is one, as the body; waits until all of them are there.
    ///
    /// - Throws: `.invalidRequest` for a stream that can't be read.
    package mutating func readBodyStream() throws(ServiceError) {
        guard httpBody == nil, let httpBodyStream else { return }
        httpBody = try RequestBody.opening(httpBodyStream, length: nil, inMemory: .max, while: { true }).data
    }

    /// Gets the body's stream ready to be sent: a short one becomes `httpBody`, which can be sent again, and what is
    /// longer is read on while it is sent, once. One that can be opened anew stays as it is.
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

    /// What RFC 9110 forbids to send: content with TRACE (§9.3.8).
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
