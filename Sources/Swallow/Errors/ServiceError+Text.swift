import Foundation

extension ServiceError: LocalizedError, CustomStringConvertible, CustomReflectable {
    /// The ``userMessage``, for code that uses `localizedDescription`.
    public var errorDescription: String? { userMessage }

    /// The reason, the detail, the cause, the request's method and URL, and the status, for a log. If the status isn't
    /// acceptable, up to 200 bytes of a body such as JSON can follow. ``WebService/logRedaction`` removes secrets.
    public var description: String {
        text(redactedBy: request?.conventions.logRedaction ?? .standard)
    }

    /// A mirror with only the request, so that `dump` doesn't show other properties, which may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["request": request as Any]) }

    fileprivate func text(redactedBy redaction: LogRedaction) -> String {
        var text = reason.name
        if let detail { text += ": \(redaction.redacted(detail))" }
        let cause =
            reason.words(of: underlying).map(redaction.redacted) ?? underlying.map(redaction.text(of:))
        if let cause { text += ": \(cause)" }
        if let request { text += " (\(request.method) \(redaction.redactedURL(request.fullURLString)))" }
        if let statusCode { text += " [status \(statusCode)]" }
        if reason == .unacceptableStatus, let excerpt = entity?.excerpt(redactedBy: redaction) {
            text += ": \(excerpt)"
        }
        return text
    }
}

extension Entity {
    fileprivate func excerpt(redactedBy redaction: LogRedaction) -> String? {
        let (bytes, type) =
            switch content {
            case let json as JSON: (json.data, "application/json")
            case let text as String: (Data(text.utf8), contentType ?? "")
            case let data as Data: (data, contentType ?? "")
            default: (Data(), "")
            }
        // Redaction needs the complete body, so a large body isn't shown.
        guard bytes.count <= 1 << 20 else { return nil }
        let text = redaction.text(ofBody: bytes, contentType: type, limit: 200)
        return text?.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

extension LogRedaction {
    func text(of error: any Error) -> String {
        if let error = error as? ServiceError { return error.text(redactedBy: self) }
        return redacted(Self.unquotingText(of: error))
    }

    private static func unquotingText(of error: any Error) -> String {
        switch error {
        case let error as JSONError: error.descriptionOfPlace
        case let failure as DecodingFailure: "\(failure.path): \(unquotingText(of: failure.reason))"
        case let error as DecodingError: unquotingText(of: error)
        case EncodingError.invalidValue(_, let context):
            "EncodingError.invalidValue at \(path(context.codingPath)): \(context.debugDescription)"
        default: "\(error)"
        }
    }

    private static func unquotingText(of reason: DecodingFailure.Reason) -> String {
        switch reason {
        // `found` ends with the number itself, which is omitted because it is from the body.
        case .mismatch(let expected, let found) where found.hasPrefix("number "):
            "expected \(expected), found number"
        case .mismatch: "\(reason)"
        case .noneFits(let failures):
            "none of \(failures.count) alternatives fits (\(failures.map(textFromHere).joined(separator: "; ")))"
        case .thrown(let error): unquotingText(of: error)
        case .unparsable(let error): "invalid JSON: \(error.descriptionOfPlace)"
        }
    }

    private static func unquotingText(of error: DecodingError) -> String {
        switch error {
        case .dataCorrupted(let context):
            "dataCorrupted at \(path(context.codingPath)): \(unquoted(context.debugDescription))"
        case .typeMismatch(_, let context):
            "typeMismatch at \(path(context.codingPath)): \(unquoted(context.debugDescription))"
        case .valueNotFound(_, let context):
            "valueNotFound at \(path(context.codingPath)): \(unquoted(context.debugDescription))"
        case .keyNotFound(let key, let context):
            "keyNotFound at \(path(context.codingPath + [key]))"
        @unknown default: "DecodingError"
        }
    }

    private static func textFromHere(_ failure: DecodingFailure) -> String {
        let text = unquotingText(of: failure.reason)
        return failure.path == "$" ? text : "\(failure.path.dropFirst()): \(text)"
    }

    private static func unquoted(_ text: String) -> String {
        if text.hasPrefix("Cannot initialize "), let range = text.range(of: " value ") {
            return text[..<range.lowerBound] + " value"
        }
        guard let first = text.firstIndex(of: "\""), let last = text.lastIndex(of: "\"") else { return text }
        return text[..<first] + "…" + text[last...].dropFirst()
    }

    private static func path(_ path: [any CodingKey]) -> String {
        path.reduce("$") { text, key in text + (key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)") }
    }
}
