import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// Replaces the body's stream with its bytes, which may block. Fails with `.invalidRequest` if it can't be read.
    package mutating func readBodyStream() throws(ServiceError) {
        guard httpBody == nil, let httpBodyStream else { return }
        httpBody = try RequestBody.opening(httpBodyStream, length: nil, inMemory: .max, while: { true }).data
    }

    /// A short stream becomes `httpBody`, which can be sent again. A longer stream is read while it is sent, and can be
    /// sent only once. Fails with `.invalidRequest` if the stream can't be read, or with `.cancelled` if `isWanted`
    /// returns `false`.
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

    /// The error of a request that RFC 9110 §9.3.8 forbids, because it is a TRACE with content.
    var problemToSend: ServiceError? {
        guard httpMethod == "TRACE", httpBody?.isEmpty == false || httpBodyStream != nil else { return nil }
        return ServiceError(.invalidRequest, detail: "a TRACE request can't have a body")
    }
}

extension URLRequest {
    var statedBodyLength: Int64? {
        value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
    }

    var canBeSentAgain: Bool { streamedBody?.isRepeatable ?? (httpBodyStream == nil) }
}
