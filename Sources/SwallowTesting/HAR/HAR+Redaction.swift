import Foundation
import Swallow

extension HAR {
    /// Rules for the secrets that a recording removes before it is written, and a replay before it compares requests.
    ///
    /// ```swift
    /// let redaction = HAR.Redaction(.standard.adding(["X-Device"]), bodies: ["$.user.email"])
    /// ```
    ///
    /// The rules of `LogRedaction` decide what is secret: in header fields, cookies, URLs, forms, JSON and event streams,
    /// and in what tools note beside the exchange. A secret becomes `<redacted>`, or 0 if it is a number in JSON. A body that
    /// claims to be JSON, a form or an event stream, but can't be parsed, is removed completely. Other bodies stay
    /// unchanged, and so does each byte of a body without secrets.
    ///
    /// Files beside an earlier recording aren't searched. Remove their secrets, and those of other bodies, with your own
    /// closures.
    public struct Redaction: Sendable {
        private(set) var names: LogRedaction
        let paths: [JSONPath]
        private let changeRequest: (@Sendable (inout Request) -> Void)?
        private let changeResponse: (@Sendable (inout Response) -> Void)?

        /// The rules of `LogRedaction.standard`.
        public static let standard = Redaction()

        /// Creates rules.
        ///
        /// - Parameters:
        ///   - names: The secret names. By default they are those of the log.
        ///   - paths: Other secret places in JSON bodies, such as `$.user.email`, `$.items[*].price`, `$.list[0]`,
        ///     `$['odd name']`, or `$..token` for a name at any depth. If a path is invalid, each request fails.
        ///   - requests: Changes requests further. Requests are also changed before they are compared with recorded ones.
        ///   - responses: Changes responses further.
        public init(
            _ names: LogRedaction = .standard, bodies paths: [String] = [],
            requests: (@Sendable (inout Request) -> Void)? = nil,
            responses: (@Sendable (inout Response) -> Void)? = nil
        ) {
            self.names = names
            self.paths = paths.map { JSONPath($0) }
            changeRequest = requests
            changeResponse = responses
        }

        /// The error of the first invalid path.
        var problem: ServiceError? {
            guard let path = paths.first(where: { !$0.isValid }) else { return nil }
            return ServiceError(
                .invalidRequest, detail: "the redaction's path \"\(path.text)\" is no JSON path")
        }
    }
}

extension HAR.Redaction {
    /// Returns these rules with further secret header fields.
    func hiding(_ fields: [String]) -> Self {
        if fields.isEmpty { return self }
        var rules = self
        rules.names = names.adding(fields)
        return rules
    }

    /// Returns the recording without its secrets, including those in comments and in the members that tools have added.
    public func redacted(_ har: HAR) -> HAR {
        var har = har
        let entries = har.entries.map(redacted)
        har.entries = []
        har.json = redacted(har.json, key: "")
        har.entries = entries
        return har
    }

    /// Returns the exchange without its secrets.
    package func redacted(_ entry: HAR.Entry) -> HAR.Entry {
        var entry = HAR.Entry(json: entry.json.mapParts { $0 == "request" ? $1 : redacted($1, key: $0) })
        entry.request = redacted(entry.request)
        changeResponse?(&entry.response)
        return entry
    }

    func redacted(_ request: HAR.Request) -> HAR.Request {
        var request = HAR.Request(json: redacted(request.json, key: ""))
        let safeURL = request.url
        changeRequest?(&request)
        // HTTP/2 has parts of the previous URL in these fields.
        if request.url != safeURL { request.headerFields.removeAll { $0.name.hasPrefix(":") } }
        return request
    }

    /// Returns any part of a recording without its secrets.
    private func redacted(_ json: JSON, key: String) -> JSON {
        switch (key, json.kind) {
        case ("url", .string), ("redirectURL", .string):
            return .string(names.redactedURL(json.string ?? "", placeholder: "%3Credacted%3E"))
        case ("headers", .array), ("_trailers", .array), ("queryString", .array), ("params", .array):
            let names = names.forItems(json.elements.lazy.compactMap { $0["name"].string })
            return json.mapParts { _, item in
                let name = item["name"].string ?? ""
                return redactedItem(item, isSecret: names.isSecret(name.removingPercentEncoding ?? name))
            }
        case ("cookies", .array):
            return json.mapParts { redactedItem($1, isSecret: names.isSecret("Cookie"), isCookie: true) }
        case ("content", .object), ("postData", .object):
            return redactedBody(json, isContent: key == "content")
        case _ where names.isSecret(key, isMember: true): return Self.hidden(json)
        case (_, .string): return .string(names.redacted(json.string ?? ""))
        default: return json.mapParts { redacted($1, key: $0) }
        }
    }

    /// Returns a header field, a cookie, or an item of a query or form. A cookie without a value may be a secret itself.
    private func redactedItem(_ item: JSON, isSecret: Bool, isCookie: Bool = false) -> JSON {
        let isOnlyName = isCookie && item["value"].string?.isEmpty == true
        return item.mapParts { key, value in
            switch key {
            case "value" where isSecret, "fileName" where isSecret, "name" where isSecret && isOnlyName:
                Self.hidden(value)
            case "name": value
            default: redacted(value, key: key)
            }
        }
    }

    /// Returns a response's or request's body without its secrets. If it has any, the members that describe its bytes go, too.
    private func redactedBody(_ json: JSON, isContent: Bool) -> JSON {
        let notes = json.mapParts { $0 == "text" ? $1 : redacted($1, key: $0) }
        let type = json["mimeType"].string ?? ""
        let bodies = BodyRedaction(names) { json in paths.reduce(json) { $1.changing($0, Self.hidden) } }
        guard json["text"].exists,
            let data = isContent ? HAR.Content(json: json).data : HAR.PostData(json: json).data,
            let redacted = bodies.redacted(data, contentType: type), redacted != data
        else { return notes }
        return isContent
            ? HAR.Content(redacted, mimeType: type).json : HAR.PostData(redacted, mimeType: type).json
    }

    /// Returns a placeholder of the same type, so that code that reads the value still can.
    static func hidden(_ json: JSON) -> JSON {
        switch json.kind {
        case .string: .string(LogRedaction.placeholder)
        case .number: 0
        default: json.mapParts { hidden($1) }
        }
    }
}
