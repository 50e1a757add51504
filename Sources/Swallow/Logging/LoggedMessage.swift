import Foundation

/// An unredacted request or body. Other code can read only its redacted texts, even with `Mirror`.
final class LoggedMessage: Sendable, CustomReflectable {
    static let largestBody = 1 << 20

    private let body: Data?
    private let contentType: String?
    private let redaction: LogRedaction
    private let request: URLRequest?
    private let form: MultipartForm?

    init(_ request: URLRequest, form: MultipartForm?, _ redaction: LogRedaction) {
        body = request.httpBodyStream == nil ? request.httpBody : nil
        contentType = request.value(forHTTPHeaderField: "Content-Type")
        self.redaction = redaction
        let isLogged = (body?.count ?? 0) <= Self.largestBody
        self.request = isLogged ? request : nil
        self.form = isLogged ? form : nil
    }

    init(_ response: HTTPURLResponse, body: Data, _ redaction: LogRedaction) {
        self.body = body.count <= Self.largestBody ? body : nil
        contentType = response.value(forHTTPHeaderField: "Content-Type")
        self.redaction = redaction
        (request, form) = (nil, nil)
    }

    var bodyText: String? {
        guard let body, !body.isEmpty, body.count <= Self.largestBody else { return nil }
        return redaction.text(ofBody: body, contentType: contentType ?? "", limit: .max)
    }

    var curlCommand: String? { request.map { CurlCommand($0, form: form, redaction).text } }

    var customMirror: Mirror { Mirror(self, children: []) }
}

extension LoggedMessage: Hashable {
    static func == (left: LoggedMessage, right: LoggedMessage) -> Bool {
        left === right || left.body == right.body && left.contentType == right.contentType
    }

    func hash(into hasher: inout Hasher) { hasher.combine(body?.count) }
}
