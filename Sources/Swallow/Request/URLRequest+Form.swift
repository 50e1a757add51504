import Foundation

extension URLRequest {
    /// Throws `.invalidURL` without an HTTP URL, or `.invalidRequest` if a field, the method or the body can't be sent.
    func checkForm() throws(ServiceError) {
        if let problem = Headers(allHTTPHeaderFields ?? [:]).problem {
            throw ServiceError(.invalidRequest, detail: problem)
        }
        if let httpMethod, !HTTPSyntax.isToken(httpMethod) {
            throw ServiceError(
                .invalidRequest, detail: "the method \"\(httpMethod)\" is not an RFC 9110 token")
        }
        let method = httpMethod ?? "GET"
        if method == "GET" || method == "HEAD", httpBody?.isEmpty == false || httpBodyStream != nil {
            throw ServiceError(.invalidRequest, detail: "a \(method) request can't have a body")
        }
        if url.flatMap(Origin.init) == nil {
            throw ServiceError(.invalidURL, detail: "\"\(url?.absoluteString ?? "")\" is not an HTTP URL")
        }
    }
}
