import Foundation
import Swallow

extension HAR {
    /// The response that was received.
    public struct Response: Sendable, Hashable, HARMessage {
        /// The JSON object of the response, with all its members.
        public var json: JSON

        package init(json: JSON) {
            self.json = json
        }

        package init(
            status: Int, httpVersion: String = "HTTP/1.1", headers: [Field] = [],
            content: Content = Content(), bodySize: Int64 = -1
        ) {
            json = [
                "status": .number(status), "statusText": "", "httpVersion": .string(httpVersion),
                "cookies": [], "headers": .array(headers.map(\.json)), "content": content.json,
                "redirectURL": "", "headersSize": -1, "bodySize": .number(bodySize),
            ]
            updateRepetitions()
        }

        var repetitions: JSON {
            let location = headerFields.first { $0.name.lowercased() == "location" }?.value
            return [
                "cookies": .array(Field.setCookies(in: headerFields).map(\.json)),
                "redirectURL": .string(location ?? ""),
            ]
        }

        /// The status code. If no response arrived, it is 0, or another value of the recording tool, such as −1.
        public var status: Int { self["status"].int ?? self["status"].string.flatMap { Int($0) } ?? 0 }

        /// The header fields, in order. Several fields may have the same name.
        public var headers: Headers {
            get { Headers(headerFields) }
            set { setHeaders(newValue) }
        }

        package var cookies: [Field] { parts("cookies") }

        package var redirectURL: String { self["redirectURL"].string ?? "" }

        /// The bytes of the body, without its content coding. `nil` if the bytes are in a separate file, or if only
        /// their number was stored. A body that you set has the earlier media type, or otherwise the `Content-Type`.
        public var body: Data? {
            get { content.data }
            set {
                if newValue == body { return }
                let type = self["content"]["mimeType"].string ?? headers[.contentType] ?? ""
                content = Content(newValue ?? Data(), mimeType: type)
            }
        }

        package var content: Content {
            get { Content(json: self["content"]) }
            set { self["content"] = newValue.json }
        }

        /// The text of the error, or `nil` if a complete response arrived.
        package var errorText: String? {
            let text = self["_error"].string.flatMap { $0.isEmpty ? nil : $0 }
            return text ?? ((100..<1000).contains(status) ? nil : "no response was recorded")
        }
    }

    package struct Content: Sendable, Hashable, HARObject {
        package var json: JSON

        package init(json: JSON) {
            self.json = json
        }

        package init(_ data: Data = Data(), mimeType: String = "") {
            let (text, isBase64) = HARText.text(of: data, mimeType: mimeType)
            json = [
                "size": .number(data.count), "mimeType": .string(mimeType),
                "text": data.isEmpty ? .missing : .string(text),
                "encoding": isBase64 ? "base64" : .missing,
            ]
        }

        init(file: String, size: Int, mimeType: String) {
            json = ["size": .number(size), "mimeType": .string(mimeType), "_file": .string(file)]
        }

        package var size: Int { self["size"].int ?? -1 }

        package var mimeType: String { self["mimeType"].string ?? "" }

        package var text: String? { self["text"].string }

        /// The path of the body's file, relative to the recording's folder. Swallow and Playwright store it in `_file`.
        package var file: String? { self["_file"].string }

        package var data: Data? {
            guard let text else { return size > 0 || file != nil ? nil : Data() }
            return HARText.data(of: text, encoding: self["encoding"].string, mimeType: mimeType)
        }
    }
}
