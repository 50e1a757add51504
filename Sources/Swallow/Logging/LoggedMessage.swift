import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The body of an event's request or response, with its secrets.
///
/// The redacted texts are created when a log reads them, because most logs don't. Nothing else in this object can be
/// read, even by reflection.
final class LoggedMessage: Sendable, CustomReflectable {
    /// The maximum size of a body that an event keeps. Events may exist for a long time, and a log shows little of a
    /// large body.
    static let largestBody = 1 << 20

    private let body: Data?
    private let contentType: String?
    private let redaction: LogRedaction
    /// The request, for its cURL command.
    private let request: URLRequest?
    private let form: MultipartForm?

    /// Creates the message of a request.
    init(_ request: URLRequest, form: MultipartForm?, _ redaction: LogRedaction) {
        body = request.httpBodyStream == nil ? request.httpBody : nil
        contentType = request.value(forHTTPHeaderField: "Content-Type")
        self.redaction = redaction
        let isKept = (body?.count ?? 0) <= Self.largestBody
        self.request = isKept ? request : nil
        self.form = isKept ? form : nil
    }

    /// Creates the message of a response.
    init(_ response: HTTPURLResponse, body: Data, _ redaction: LogRedaction) {
        self.body = body.count <= Self.largestBody ? body : nil
        contentType = response.value(forHTTPHeaderField: "Content-Type")
        self.redaction = redaction
        (request, form) = (nil, nil)
    }

    /// The body as redacted text.
    var bodyText: String? {
        guard let body, !body.isEmpty, body.count <= Self.largestBody else { return nil }
        return redaction.text(ofBody: body, contentType: contentType ?? "", limit: .max)
    }

    /// The redacted cURL command of the request.
    var curlCommand: String? { request.map { CurlCommand($0, form: form, redaction).text } }

    var customMirror: Mirror { Mirror(self, children: []) }
}

extension LoggedMessage: Hashable {
    /// Returns whether the bodies and their content types are equal. The rest of a message is in its event.
    static func == (left: LoggedMessage, right: LoggedMessage) -> Bool {
        left === right || left.body == right.body && left.contentType == right.contentType
    }

    func hash(into hasher: inout Hasher) { hasher.combine(body?.count) }
}
