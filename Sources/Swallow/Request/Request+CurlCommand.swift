import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Request {
    /// Whether a command shows what is secret.
    public enum Secrets: Sendable {
        /// `<redacted>` stands in the place of what the service's ``LogRedaction`` takes for secret.
        case redacted
        /// Everything is there: the command is a secret itself.
        case revealed
    }

    /// The command for a POSIX shell by which curl sends this request, without its secrets.
    public var curlCommand: String { curlCommand(.redacted) }

    /// The command for a POSIX shell by which curl sends this request: its method, URL and header fields, and its body, which
    /// is in the command or, where it is a file's, named in it. A form in parts is written field by field, where curl can
    /// make the same of it; a stream is the command's input. A body of two streams is a comment that says so.
    ///
    /// Fields that the transport adds, such as `User-Agent`, are curl's own, and redirects aren't followed. Configured
    /// `adaptRequest` closures run as for ``urlRequest()``; what an ``Authenticator`` adds is never there. A request that can't
    /// be sent is a comment that says why.
    public func curlCommand(_ secrets: Secrets) -> String {
        let redaction = secrets == .redacted ? conventions.logRedaction : nil
        do {
            return CurlCommand(try urlRequest(), form: multipartForm, redaction).text
        } catch {
            let reason = conventions.logRedaction.text(of: error)
            return "# can't be sent: " + reason.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
    }

    private var multipartForm: MultipartForm? {
        if case .multipart(let form)? = body { form } else { nil }
    }
}
