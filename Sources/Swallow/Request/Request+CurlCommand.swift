import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Request {
    /// The command for a POSIX shell by which curl sends this request; `<redacted>` stands in the place of what the service's
    /// ``LogRedaction`` takes for secret.
    public var curlCommand: String { curlCommand(revealingSecrets: false) }

    /// The command for a POSIX shell by which curl sends this request: its method, URL and header fields, and its body, which
    /// is in the command or, where it is a file's, named in it. A form in parts is written field by field, where curl can
    /// make the same of it; a stream is the command's input. A body of two streams is a comment that says so.
    ///
    /// Fields that the transport adds, such as `User-Agent`, are curl's own, and redirects aren't followed. Configured
    /// `adaptRequest` closures run as for ``urlRequest()``; what an ``Authenticator`` adds is never there. A request that can't
    /// be sent is a comment that says why.
    ///
    /// - Parameter revealsSecrets: whether everything is there: then the command is a secret itself.
    public func curlCommand(revealingSecrets revealsSecrets: Bool) -> String {
        let redaction = revealsSecrets ? nil : conventions.logRedaction
        do {
            return CurlCommand(try urlRequest(), form: multipartForm, redaction).text
        } catch {
            let reason = conventions.logRedaction.text(of: error)
            return "# can't be sent: " + reason.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
    }

    /// The form that the body is made of.
    var multipartForm: MultipartForm? {
        if case .multipart(let form)? = body { form } else { nil }
    }
}
