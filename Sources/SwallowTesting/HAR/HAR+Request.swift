import Foundation
import Swallow

extension HAR {
    /// The request that was sent.
    public struct Request: Sendable, Hashable, HARMessage {
        /// The JSON object of the request, with all its members.
        public var json: JSON

        package init(json: JSON) {
            self.json = json
        }

        package init(
            method: String, url: String, httpVersion: String = "HTTP/1.1", headers: [Field] = [],
            postData: PostData? = nil
        ) {
            json = [
                "method": .string(method), "url": .string(url), "httpVersion": .string(httpVersion),
                "cookies": [], "headers": .array(headers.map(\.json)), "queryString": [],
                "postData": postData?.json ?? .missing,
                "headersSize": -1, "bodySize": .number(postData?.data?.count ?? (postData == nil ? 0 : -1)),
            ]
            updateRepetitions()
        }

        var repetitions: JSON {
            [
                "cookies": .array(Field.sentCookies(in: headerFields).map(\.json)),
                "queryString": .array(Field.query(of: url).map(\.json)),
            ]
        }

        /// The method, or `GET` if the recording omits it.
        public var method: String { self["method"].string ?? "GET" }

        /// The absolute URL, or an empty string if the recording omits it.
        public var url: String {
            get { self["url"].string ?? "" }
            set { self["url"] = .string(newValue) }
        }

        /// The header fields, in order. The pseudo-header fields of HTTP/2, such as `:path`, aren't included.
        public var headers: Headers {
            get { Headers(headerFields) }
            set { setHeaders(newValue) }
        }

        package var queryString: [Field] { parts("queryString") }

        package var cookies: [Field] { parts("cookies") }

        /// The bytes of the body. `nil` if the request has no body, or if the tool didn't store it. A body that you set
        /// has the earlier media type, or otherwise the `Content-Type`.
        public var body: Data? {
            get { postData?.data }
            set {
                if newValue == body { return }
                let type = self["postData"]["mimeType"].string ?? headers[.contentType] ?? ""
                postData = newValue.map { PostData($0, mimeType: type) }
            }
        }

        package var postData: PostData? {
            get { self["postData"].kind == .object ? PostData(json: self["postData"]) : nil }
            set { self["postData"] = newValue?.json ?? .missing }
        }
    }

    package struct Field: Sendable, Hashable, HARObject {
        package var json: JSON

        package init(json: JSON) {
            self.json = json
        }

        package init(_ name: String, _ value: String) {
            json = ["name": .string(name), "value": .string(value)]
        }

        package var name: String { self["name"].string ?? "" }

        package var value: String { self["value"].string ?? "" }

        static func query(of url: String) -> [Field] {
            let query = url.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
            return form(String(query))
        }

        static func form(_ text: String) -> [Field] {
            QueryItem.items(of: text, plusIsSpace: true).map { Field($0.name, $0.value ?? "") }
        }
    }

    package struct PostData: Sendable, Hashable, HARObject {
        package var json: JSON

        package init(json: JSON) {
            self.json = json
        }

        /// Creates a body with its bytes as text if possible, otherwise as Base64. A form as text also has `params`.
        package init(_ data: Data, mimeType: String) {
            let (text, isBase64) = HARText.text(of: data, mimeType: mimeType)
            let items = Self.isForm(mimeType) && !isBase64 ? Field.form(text) : []
            json = [
                "mimeType": .string(mimeType), "params": .array(items.map(\.json)),
                "text": .string(text), "_encoding": isBase64 ? "base64" : .missing,
            ]
        }

        package var mimeType: String { self["mimeType"].string ?? "" }

        package var text: String? { self["text"].string }

        package var params: [Field] { parts("params") }

        package var data: Data? {
            let encoding = self["_encoding"].string ?? self["encoding"].string
            if let text { return HARText.data(of: text, encoding: encoding, mimeType: mimeType) }
            return params.isEmpty ? nil : Data(params.encoded.utf8)
        }

        var isForm: Bool { Self.isForm(mimeType) }

        private static func isForm(_ mimeType: String) -> Bool {
            mimeType.lowercased().hasPrefix("application/x-www-form-urlencoded")
        }
    }
}

extension [HAR.Field] {
    var encoded: String {
        map { [$0.name, $0.value].map { PercentEncoding.encode($0) }.joined(separator: "=") }
            .joined(separator: "&")
    }
}
