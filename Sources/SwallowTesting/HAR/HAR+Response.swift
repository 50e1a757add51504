import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HAR {
    /// What came back: a response, or status 0 and an error.
    public struct Response: Sendable, Hashable, HARObject {
        /// The object, with all its members.
        public var json: JSON

        /// Takes an object as it is.
        package init(json: JSON) {
            self.json = json
        }

        /// Makes a response; cookies and the target of a redirect are read from the headers.
        package init(
            status: Int, statusText: String = "", httpVersion: String = "HTTP/1.1", headers: [Field] = [],
            content: Content = Content(), bodySize: Int64 = -1
        ) {
            let location = headers.first { $0.name.lowercased() == "location" }?.value
            json = [
                "status": .number(status), "statusText": .string(statusText),
                "httpVersion": .string(httpVersion),
                "cookies": .array(Cookie.set(in: headers).map(\.json)),
                "headers": .array(headers.map(\.json)), "content": content.json,
                "redirectURL": .string(location ?? ""), "headersSize": -1, "bodySize": .number(bodySize),
            ]
        }

        /// The status code; 0 where no response came, or what else a tool writes there, such as −1.
        public var status: Int { self["status"].int ?? self["status"].string.flatMap { Int($0) } ?? 0 }

        /// The header fields, in order; several of one name may stand side by side.
        public var headers: Headers {
            get { Headers(headerFields) }
            set { setHeaders(newValue) }
        }

        /// The cookies of the `Set-Cookie` fields.
        package var cookies: [Cookie] {
            get { parts("cookies") }
            set { self["cookies"] = .array(newValue.map(\.json)) }
        }

        /// Where a redirect leads, as it was sent.
        package var redirectURL: String {
            get { self["redirectURL"].string ?? "" }
            set { self["redirectURL"] = .string(newValue) }
        }

        /// The bytes of the body, its content coding removed; nil where the recording doesn't have them itself.
        ///
        /// Another body keeps the media type of the one before, else has that of the headers; nil empties one that is there, and
        /// the same one changes nothing.
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

        /// The error that the exchange ended with, in the words of the tool that wrote it: Chrome's and mitmproxy's
        /// `_error`; nil where it ended well.
        package var errorText: String? {
            let text = self["_error"].string.flatMap { $0.isEmpty ? nil : $0 }
            return text ?? ((100..<1000).contains(status) ? nil : "no response was recorded")
        }
    }

    /// A response's body, its content coding removed.
    package struct Content: Sendable, Hashable, HARObject {
        /// The object, with all its members.
        package var json: JSON

        /// Takes an object as it is.
        package init(json: JSON) {
            self.json = json
        }

        /// Makes a body: as text where its bytes are text, else in Base64.
        package init(_ data: Data = Data(), mimeType: String = "") {
            let text = HARText(data, mimeType: mimeType)
            json = [
                "size": .number(data.count), "mimeType": .string(mimeType),
                "text": data.isEmpty ? .missing : .string(text.text),
                "encoding": text.isBase64 ? "base64" : .missing,
            ]
        }

        /// Makes a body that is in a file beside the recording.
        init(file: String, size: Int, mimeType: String) {
            json = ["size": .number(size), "mimeType": .string(mimeType), "_file": .string(file)]
        }

        /// How many bytes it has; −1 where that isn't told.
        package var size: Int { self["size"].int ?? -1 }

        /// The media type, with its parameters.
        package var mimeType: String { self["mimeType"].string ?? "" }

        /// The text, or Base64 where `encoding` says so; nil where the tool didn't keep it.
        package var text: String? { self["text"].string }

        /// The name of the file that has the body, relative to the recording's folder; this package's and
        /// Playwright's `_file`.
        package var file: String? { self["_file"].string }

        /// The bytes; nil where the recording doesn't have them itself.
        package var data: Data? {
            guard let text else { return size > 0 || file != nil ? nil : Data() }
            return HARText(text: text, isBase64: self["encoding"].string?.lowercased() == "base64")
                .data(mimeType: mimeType)
        }
    }
}
