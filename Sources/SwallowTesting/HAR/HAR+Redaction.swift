import Foundation
import Swallow

extension HAR {
    /// What is taken out of exchanges before they are written, and out of requests before they are compared with them.
    ///
    /// ```swift
    /// let redaction = HAR.Redaction(.standard.adding(["X-Session"]), bodies: ["$.user.email"])
    /// ```
    ///
    /// Where a name is secret by the log's rules, `<redacted>` stands for the value: header fields, cookies, query items
    /// in each URL, items of forms, and members of JSON bodies, of which numbers become 0. A body in which nothing is
    /// secret keeps each byte. Bodies of other media types aren't looked into, nor those in files
    /// beside a recording that was made before: that is for closures of your own.
    public struct Redaction: Sendable {
        private let names: LogRedaction
        private let paths: [JSONPath]
        private let changeRequest: (@Sendable (inout Request) -> Void)?
        private let changeResponse: (@Sendable (inout Response) -> Void)?

        /// What `LogRedaction.standard` says, and no more.
        public static let standard = Redaction()

        /// Makes rules.
        ///
        /// - Parameters:
        ///   - names: the names that are secret; those of the log by default.
        ///   - paths: what else is secret in JSON bodies, of requests and responses. None by default.
        ///   - requests: changes requests further, also those that are compared with recorded ones. Nil by default.
        ///   - responses: changes responses further. Nil by default.
        public init(
            _ names: LogRedaction = .standard, bodies paths: [JSONPath] = [],
            requests: (@Sendable (inout Request) -> Void)? = nil,
            responses: (@Sendable (inout Response) -> Void)? = nil
        ) {
            self.names = names
            self.paths = paths
            changeRequest = requests
            changeResponse = responses
        }

        /// What is wrong with the rules.
        var problem: ServiceError? {
            guard let path = paths.first(where: { !$0.isValid }) else { return nil }
            return ServiceError(.invalidRequest, detail: "the redaction's path \"\(path)\" is no JSON path")
        }
    }
}

extension HAR.Redaction {
    /// The same recording without its secrets, those in the tools' own members and in the titles of pages too.
    public func redacted(_ har: HAR) -> HAR {
        var har = har
        har.entries = har.entries.map(redacted)
        let pages = har.json["log"]["pages"]
        if pages.exists {
            har.json = har.json.setting("log", to: har.json["log"].setting("pages", to: text(pages)))
        }
        return har
    }

    /// The same exchange without its secrets.
    public func redacted(_ entry: HAR.Entry) -> HAR.Entry {
        var entry = entry
        entry.request = redacted(entry.request)
        entry.response = redacted(entry.response)
        for (name, value) in entry.json.members where name.hasPrefix("_") { entry[name] = text(value) }
        return entry
    }

    func redacted(_ request: HAR.Request) -> HAR.Request {
        var request = request
        let url = redactedURL(request.url)
        if url != request.url {
            request.url = url
            request.queryString = HAR.Field.query(of: url)
        }
        request.headers = request.headers.map(redacted)
        request.cookies = redacted(request.cookies, of: "Cookie")
        for (name, value) in request.json.members where name.hasPrefix("_") { request[name] = text(value) }
        if let body = request.postData { request.postData = redacted(body) }
        changeRequest?(&request)
        return request
    }

    private func redacted(_ response: HAR.Response) -> HAR.Response {
        var response = response
        response.headers = response.headers.map(redacted)
        response.cookies = redacted(response.cookies, of: "Set-Cookie")
        response.redirectURL = redactedURL(response.redirectURL)
        for (name, value) in response.json.members where name.hasPrefix("_") { response[name] = text(value) }
        let trailers = response["_trailers"].elements
        if !trailers.isEmpty {
            response["_trailers"] = .array(trailers.map { redacted(HAR.Field(json: $0)).json })
        }
        let (content, type) = (response.content, response.content.mimeType)
        if let data = content.data, let rest = redacted(data, mimeType: type) {
            // What else a tool knows of the body goes away with it.
            response.content = HAR.Content(rest, mimeType: type)
        }
        changeResponse?(&response)
        return response
    }

    private func redacted(_ body: HAR.PostData) -> HAR.PostData {
        var body = body
        body.params = body.params.map { item in
            var item = item
            if names.isSecretItem(item.name) { item.value = LogRedaction.placeholder }
            return item
        }
        if body.text != nil, let data = body.data, let rest = redacted(data, mimeType: body.mimeType) {
            body = HAR.PostData(rest, mimeType: body.mimeType)
        }
        return body
    }

    private func redacted(_ field: HAR.Field) -> HAR.Field {
        var headers = Headers()
        headers.append(field.value, for: Headers.Name(field.name))
        var field = field
        let value = names.redacted(headers).first?.value ?? ""
        if value != field.value { field.value = value }
        return field
    }

    private func redacted(_ cookies: [HAR.Cookie], of field: String) -> [HAR.Cookie] {
        guard names.redacted([Headers.Name(field): "a=b"]).first?.value == LogRedaction.placeholder else {
            return cookies
        }
        return cookies.map { cookie in
            var cookie = cookie
            cookie.value = LogRedaction.placeholder
            return cookie
        }
    }

    /// A URL that is still one: the brackets of the placeholder are escaped.
    private func redactedURL(_ url: String) -> String {
        let redacted = names.redactedURL(url)
        if redacted == url { return url }
        return redacted.replacing("<", with: "%3C").replacing(">", with: "%3E")
    }

    /// A tool's own value: what may be a URL or JSON in it is treated as one.
    private func text(_ json: JSON) -> JSON {
        if let string = json.string { return .string(names.redactedMembers(names.redacted(string))) }
        return json.mapParts { name, _, value in
            name.map(names.isSecretItem) == true ? Self.hidden(value) : text(value)
        }
    }
}

// MARK: - Bodies

extension HAR.Redaction {
    /// A body without its secrets; nil where it has none.
    private func redacted(_ data: Data, mimeType: String) -> Data? {
        let type = MediaType(mimeType)
        if type.name == "application/x-www-form-urlencoded" { return redactedForm(data) }
        guard type.isJSON || data.first == UInt8(ascii: "{") || data.first == UInt8(ascii: "[") else {
            return nil
        }
        guard let json = try? JSON(parsing: data) else {
            let text = String(decoding: data, as: UTF8.self)
            let redacted = names.redactedMembers(text)
            return redacted == text ? nil : Data(redacted.utf8)
        }
        var rest = withoutSecretMembers(json)
        for path in paths { rest = path.changing(rest, Self.hidden) }
        return rest == json ? nil : rest.data
    }

    private func redactedForm(_ data: Data) -> Data? {
        let text = String(decoding: data, as: UTF8.self)
        let items = text.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let field = HAR.Field.form(String(item)).first
            guard let field, names.isSecretItem(field.name), item.contains("=") else { return item }
            return item.prefix { $0 != "=" } + "=%3Credacted%3E"
        }
        let redacted = items.joined(separator: "&")
        return redacted == text ? nil : Data(redacted.utf8)
    }

    private func withoutSecretMembers(_ json: JSON) -> JSON {
        json.mapParts { name, _, value in
            name.map(names.isSecretItem) == true ? Self.hidden(value) : withoutSecretMembers(value)
        }
    }

    /// A value of the same type, so that what reads it still can.
    private static func hidden(_ json: JSON) -> JSON {
        if json.string != nil { return .string(LogRedaction.placeholder) }
        if json.decimal != nil || json.double != nil { return 0 }
        return json.mapParts { hidden($2) }
    }
}
