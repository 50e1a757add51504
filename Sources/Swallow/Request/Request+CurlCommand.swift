import Foundation

extension Request {
    /// The command with which curl sends this request, with `<redacted>` in place of secrets (``LogRedaction``).
    public var curlCommand: String { curlCommand(revealingSecrets: false) }

    /// Returns the command for a POSIX shell with which curl sends this request.
    ///
    /// If the body is a file, the command names the file. A stream is the command's standard input. If a request can't
    /// be sent, or if a body has two streams, the result is a comment with the reason. Configured `adaptRequest`
    /// closures run up to the first async one. Fields that an ``Authenticator`` adds are never included.
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
