import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Request {
    /// The command for a POSIX shell with which curl sends this request. It has `<redacted>` in place of the values
    /// that the service's ``LogRedaction`` considers secret.
    public var curlCommand: String { curlCommand(revealingSecrets: false) }

    /// Returns the command for a POSIX shell with which curl sends this request.
    ///
    /// The command contains the method, the URL, the header fields and the body. If the body is a file, the command
    /// names the file. A multipart form is written field by field, if curl encodes it in the same way. A stream is the
    /// command's standard input. If a body has two streams, the result is a comment that states this.
    ///
    /// curl sets the fields that the transport adds, such as `User-Agent`, and follows no redirects. Configured
    /// `adaptRequest` closures run as for ``urlRequest()``. Fields that an ``Authenticator`` adds are never included.
    /// If a request can't be sent, the result is a comment with the reason.
    ///
    /// - Parameter revealsSecrets: Whether the command includes secrets. The command is then a secret itself.
    public func curlCommand(revealingSecrets revealsSecrets: Bool) -> String {
        let redaction = revealsSecrets ? nil : conventions.logRedaction
        do {
            return CurlCommand(try urlRequest(), form: multipartForm, redaction).text
        } catch {
            let reason = conventions.logRedaction.text(of: error)
            return "# can't be sent: " + reason.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
    }

    var multipartForm: MultipartForm? {
        if case .multipart(let form)? = bodies.first { form } else { nil }
    }
}
