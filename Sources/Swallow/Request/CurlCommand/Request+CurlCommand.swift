import Foundation

extension Request {
    /// The curl command that sends this request, with `<redacted>` in place of secrets (see ``LogRedaction``).
    public var curlCommand: String { curlCommand(revealingSecrets: false) }

    /// Returns the curl command that sends this request, for a POSIX shell. If it reveals secrets, keep it secret. If
    /// the body is a file, the command names the file. A stream is the command's standard input. If the request can't
    /// be sent, or if its body has several streams, the result is a shell comment with the reason. The `adaptRequest`
    /// closures run first, up to the first async one. The credential of an ``Authenticator`` isn't included.
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
