import Foundation
import Swallow

extension HAR {
    /// The secrets that a recording takes out of exchanges before it writes them, and a replay out of requests before
    /// it compares them.
    ///
    /// ```swift
    /// let redaction = HAR.Redaction(.standard.adding(["X-Session"]), bodies: ["$.user.email"])
    /// ```
    ///
    /// Values with a name that is secret by the log's rules become `<redacted>`, and numbers in JSON become 0: in
    /// header fields, cookies, query items of each URL, items of forms, fields of multipart forms, and members of JSON.
    /// Bodies are searched whatever their media type says: JSON may begin with a space, a byte order mark or `)]}'`,
    /// may be in UTF-16, and may stand in the events of a stream or in a string of other JSON. Secret items of URLs,
    /// and the user and password between `//` and `@`, are taken out of strings in JSON, out of plain text, and out of
    /// what tools note beside the exchange. A body without a secret keeps each byte, and so do the other lines of
    /// events and of text, and the other parts of a form. A request's compressed body is taken out as a whole.
    ///
    /// Other bytes that aren't text, the values of markup, and the files beside a recording that was made before aren't
    /// searched: that is for closures of your own.
    public struct Redaction: Sendable {
        private(set) var names: LogRedaction
        let paths: [JSONPath]
        private let changeRequest: (@Sendable (inout Request) -> Void)?
        private let changeResponse: (@Sendable (inout Response) -> Void)?

        /// The rules of `LogRedaction.standard`, and no others.
        public static let standard = Redaction()

        /// Makes rules.
        ///
        /// - Parameters:
        ///   - names: the names that are secret; those of the log by default.
        ///   - paths: what else is secret in JSON bodies, of requests and responses; none by default. `$.user.email`,
        ///     `$.items[*].price`, `$.list[0]`, `$['odd name']`, or `$..token` for a name at any depth. With a path that can't be
        ///     understood nothing is recorded or replayed: each request fails with an error that tells it.
        ///   - requests: changes requests further, also those that are compared with recorded ones. Nil by default.
        ///   - responses: changes responses further. Nil by default.
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

        /// What is wrong with the rules.
        var problem: ServiceError? {
            guard let path = paths.first(where: { !$0.isValid }) else { return nil }
            return ServiceError(
                .invalidRequest, detail: "the redaction's path \"\(path.text)\" is no JSON path")
        }
    }
}

extension HAR.Redaction {
    /// The same rules, by which these fields are secret, too.
    func hiding(_ fields: [String]) -> Self {
        if fields.isEmpty { return self }
        var rules = self
        rules.names = names.adding(fields)
        return rules
    }

    /// The same recording without its secrets, also those in the tools' own members, in comments and in the titles of pages.
    public func redacted(_ har: HAR) -> HAR {
        var har = har
        har.entries = har.entries.map(redacted)
        har.json = har.json.mapParts { name, _, log in
            name == "log"
                ? log.mapParts { $0 == "entries" ? $2 : text($2, named: $0) } : text(log, named: name)
        }
        return har
    }

    /// The same exchange without its secrets.
    package func redacted(_ entry: HAR.Entry) -> HAR.Entry {
        var entry = redactingText(of: entry, but: ["request", "response"])
        entry.request = redacted(entry.request)
        entry.response = redacted(entry.response)
        return entry
    }

    func redacted(_ request: HAR.Request) -> HAR.Request {
        var request = redactingText(
            of: request, but: ["url", "headers", "cookies", "queryString", "postData"])
        let url = redactedURL(request.url)
        if url != request.url { request.url = url }
        request.queryString = redactedItems(request.queryString)
        request.headerFields = request.headerFields.map(redacted)
        request.cookies = redacted(request.cookies, of: "Cookie")
        let isCoded = request.headers["Content-Encoding"] != nil
        if let body = request.postData { request.postData = redacted(body, isCoded: isCoded) }
        let safeURL = request.url
        changeRequest?(&request)
        if request.url != safeURL {
            // They are parts of the URL as it was, in HTTP/2's words, which a closure doesn't see.
            request.headerFields.removeAll { $0.name.hasPrefix(":") }
        }
        return request
    }

    private func redacted(_ response: HAR.Response) -> HAR.Response {
        var response = redactingText(
            of: response, but: ["headers", "cookies", "redirectURL", "content", "_trailers"])
        response.headerFields = response.headerFields.map(redacted)
        response.cookies = redacted(response.cookies, of: "Set-Cookie")
        if !response.redirectURL.isEmpty { response.redirectURL = redactedURL(response.redirectURL) }
        let trailers = response["_trailers"].elements
        if !trailers.isEmpty {
            response["_trailers"] = .array(trailers.map { redacted(HAR.Field(json: $0)).json })
        }
        let (content, type) = (response.content, response.content.mimeType)
        if let data = content.data, let rest = redacted(data, mimeType: type) {
            // Other members that a tool has written about the body are dropped with it.
            response.content = HAR.Content(rest, mimeType: type)
        } else if content.json.kind == .object {
            response.content = redactingText(of: content, but: ["text"])
        }
        changeResponse?(&response)
        return response
    }

    /// - Parameter isCoded: whether the body may be compressed: then its secrets can't be found.
    private func redacted(_ body: HAR.PostData, isCoded: Bool) -> HAR.PostData {
        var body = redactingText(of: body, but: ["params", "text"])
        if body.json["params"].exists { body.params = redactedItems(body.params) }
        guard body.text != nil, let data = body.data else { return body }
        let isHidden = isCoded && String(data: data, encoding: .utf8) == nil
        let hidden = Data(LogRedaction.placeholder.utf8)
        if let rest = isHidden ? hidden : redacted(data, mimeType: body.mimeType) {
            let text = HARText(rest, mimeType: body.mimeType)
            body.text = text.text
            body["encoding"] = .missing
            body["_encoding"] = text.isBase64 ? "base64" : .missing
        }
        return body
    }

    /// The items of a query or of a form; a secret one loses its value and the name of the file that it came from.
    private func redactedItems(_ items: [HAR.Field]) -> [HAR.Field] {
        let names = names.forItems(items.lazy.map(\.name))
        return items.map { item in
            let isSecret = names.isSecretItem(item.name)
            var item = redactingText(of: item, but: isSecret ? ["name", "value", "fileName"] : ["name"])
            guard isSecret else { return item }
            for name in ["value", "fileName"] where item[name].kind == .string {
                item[name] = .string(LogRedaction.placeholder)
            }
            return item
        }
    }

    private func redacted(_ field: HAR.Field) -> HAR.Field {
        var headers = Headers()
        headers.append(field.value, for: Headers.Name(field.name))
        var field = redactingText(of: field, but: ["name", "value"])
        let value = names.redactedMembers(names.redacted(headers).first?.value ?? "")
        if value != field.value { field.value = value }
        return field
    }

    private func redacted(_ cookies: [HAR.Cookie], of field: String) -> [HAR.Cookie] {
        let areSecret = names.redacted([Headers.Name(field): "a=b"]).first?.value == LogRedaction.placeholder
        return cookies.map { cookie in
            var cookie = redactingText(of: cookie, but: ["name"])
            if areSecret { cookie.value = LogRedaction.placeholder }
            return cookie
        }
    }

    /// A URL that is still one: the brackets of the placeholder are escaped.
    private func redactedURL(_ url: String) -> String {
        let redacted = names.redactedURL(url)
        if redacted == url { return url }
        return redacted.replacing("<", with: "%3C").replacing(">", with: "%3E")
    }

    /// The same object without the secrets of its members, except for the members that the caller redacts itself.
    private func redactingText<Object: HARObject>(of object: Object, but handled: Set<String>) -> Object {
        var object = object
        object.json = object.json.mapParts { name, _, value in
            handled.contains(name ?? "") ? value : text(value, named: name)
        }
        return object
    }

    /// A tool's own value without the secrets of the URLs and of the JSON that may be in it.
    private func text(_ json: JSON, named name: String? = nil) -> JSON {
        if name.map(names.isSecretItem) == true { return Self.hidden(json) }
        if let string = json.string { return .string(names.redacted(names.redactedMembers(string))) }
        return json.mapParts { name, _, value in text(value, named: name) }
    }

    /// A placeholder of the same type, so that code that reads the value still can.
    static func hidden(_ json: JSON) -> JSON {
        if json.kind == .string { return .string(LogRedaction.placeholder) }
        if json.decimal != nil || json.double != nil { return 0 }
        return json.mapParts { hidden($2) }
    }
}
