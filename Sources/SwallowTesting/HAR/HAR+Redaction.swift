import Foundation
import Swallow

extension HAR {
    /// Removes secrets from a recording before it is written, and from requests before a replay compares them.
    ///
    /// ```swift
    /// let redaction = HAR.Redaction(.standard.adding(["X-Device"]), bodies: ["$.user.email"])
    /// ```
    ///
    /// A `LogRedaction` names the secret values. They are removed from header fields, cookies, URLs, forms, JSON, JSON
    /// Lines, event streams, multipart bodies, and the members that tools add to an entry. Secret strings become
    /// `<redacted>`, percent-encoded in forms and an entry's URLs. Secret numbers in JSON become 0. An unparsable body
    /// can become `<redacted>`. Booleans, other bodies, and body files of an earlier recording stay unchanged.
    public struct Redaction: Sendable {
        private(set) var names: LogRedaction
        private let paths: [JSONPath]
        let problem: ServiceError?
        private let changeRequest: (@Sendable (inout Request) -> Void)?
        private let changeResponse: (@Sendable (inout Response) -> Void)?

        /// The default, which removes the secrets that `LogRedaction.standard` names.
        public static let standard = Redaction()

        /// Creates a redaction.
        ///
        /// - Parameters:
        ///   - names: The secret names. By default, they are those of `LogRedaction.standard`.
        ///   - paths: Other secret places in JSON bodies, such as `$.user.email`, `$.items[*].price`, `$.list[0]`,
        ///     `$['odd name']`, or `$..token` for a name at any depth. If a path is invalid, each request fails with a
        ///     `ServiceError` of reason `.invalidRequest`, and ``redacted(_:)`` replaces each complete body.
        ///   - requests: A closure that changes a request after its secrets are removed, also for a replay. If a response
        ///     has another final URL than its request, the closure also changes a copy of the request with this URL.
        ///   - responses: A closure that changes a response after its secrets are removed.
        ///
        /// If a closure changes a URL or a header field, members that repeat it, such as `queryString`, change with it.
        public init(
            _ names: LogRedaction = .standard, bodies paths: [String] = [],
            requests: (@Sendable (inout Request) -> Void)? = nil,
            responses: (@Sendable (inout Response) -> Void)? = nil
        ) {
            self.names = names
            self.paths = paths.compactMap(JSONPath.init)
            problem = paths.first { JSONPath($0) == nil }.map {
                ServiceError(.invalidRequest, detail: "the redaction's path \"\($0)\" isn't a JSON path")
            }
            changeRequest = requests
            changeResponse = responses
        }
    }
}

extension HAR.Redaction {
    func hiding(_ fields: [String]) -> Self {
        var rules = self
        rules.names = names.adding(fields)
        return rules
    }

    /// Returns the recording without its secrets. If a path is invalid, each body becomes `<redacted>`.
    public func redacted(_ har: HAR) -> HAR { HAR(json: redacted(har.json)) }

    package func redacted(_ entry: HAR.Entry) -> HAR.Entry { HAR.Entry(json: redacted(entry.json)) }

    func redacted(_ request: HAR.Request) -> HAR.Request {
        var request = HAR.Request(json: redacted(request.json))
        request.body = redacted(request.body, of: request["postData"])
        let safe = request
        changeRequest?(&request)
        // The pseudo-header fields of HTTP/2 contain parts of the URL before the change.
        if request.url != safe.url { request.headerFields.removeAll { $0.name.hasPrefix(":") } }
        request.updateRepetitions(since: safe)
        return request
    }

    private func redacted(_ response: HAR.Response, to request: HAR.Request) -> HAR.Response {
        var response = HAR.Response(json: redacted(response.json))
        response.body = redacted(response.body, of: response["content"])
        if let url = response["_url"].string {
            var final = request
            final.url = url
            response["_url"] = .string(redacted(final).url)
        }
        let safe = response
        changeResponse?(&response)
        response.updateRepetitions(since: safe)
        return response
    }

    private func redacted(_ json: JSON) -> JSON {
        let lists: Set = ["headers", "_trailers", "queryString", "params", "cookies"]
        return Redactor(names, isRecording: true, hidesBareUsers: true) { path, value, parent in
            switch (path.last ?? "", value.kind) {
            case ("request", .object): redacted(HAR.Request(json: value)).json
            case ("response", .object):
                redacted(HAR.Response(json: value), to: HAR.Request(json: parent["request"])).json
            case ("url", .string), ("redirectURL", .string):
                .string(names.redactedURL(value.string ?? "").replacing("<redacted>", with: "%3Credacted%3E"))
            case (let name, .array) where lists.contains(name): redactedItems(value, of: name)
            case ("text", .string) where path == ["content", "text"] || path == ["postData", "text"]: value
            default: nil
            }
        }.redacted(json)
    }

    private func redactedItems(_ items: JSON, of list: String) -> JSON {
        let isGrant = items.elements.contains { $0["name"].string == "grant_type" }
        let names = names.forItems(besideGrantType: isGrant)
        return Redactor(names, isRecording: true, hidesBareUsers: true) { path, value, item in
            let name = list == "cookies" ? "Cookie" : item["name"].string ?? ""
            switch path.last {
            case "name" where list != "cookies" || item["value"].string != "": return value
            case "name", "value", "fileName":
                guard names.isSecret(name.removingPercentEncoding ?? name) else { return nil }
                return Redactor.hidden(value, keepsType: true)
            default: return nil
            }
        }.redacted(items)
    }

    private func redacted(_ body: Data?, of part: JSON) -> Data? {
        if problem != nil, part["text"].string?.isEmpty == false || part["params"].count > 0 {
            return Data(LogRedaction.placeholder.utf8)
        }
        guard let body, part["text"].exists else { return body }
        let redactor = Redactor(names, isRecording: true) { path, value, _ in
            paths.contains { $0.matches(path) } ? Redactor.hidden(value, keepsType: true) : JSON?.none
        }
        return redactor.redacted(body, contentType: part["mimeType"].string ?? "") ?? body
    }
}
