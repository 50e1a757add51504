import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// Checks a request that a closure of the app has changed.
    ///
    /// - Throws: `.invalidRequest` for a header field or a method that RFC 9110 forbids, `.invalidURL` where there
    ///   is no HTTP URL.
    func checkForm() throws(ServiceError) {
        if let problem = Headers(allHTTPHeaderFields ?? [:]).problem {
            throw ServiceError(.invalidRequest, detail: problem)
        }
        if let httpMethod, !Headers.isToken(httpMethod) {
            throw ServiceError(
                .invalidRequest, detail: "the method \"\(httpMethod)\" is not an RFC 9110 token")
        }
        if url.flatMap(Origin.init) == nil {
            throw ServiceError(.invalidURL, detail: "\"\(url?.absoluteString ?? "")\" is not an HTTP URL")
        }
    }
}
