import Foundation

extension LogRedaction {
    /// Returns the text of a body for a log, without its secrets.
    ///
    /// JSON, forms, multipart forms and event streams are parsed. If that fails, the complete text is `<redacted>`. JSON is
    /// written without whitespace.
    ///
    /// - Parameters:
    ///   - body: The bytes of the body, without a content coding.
    ///   - contentType: The value of `Content-Type`, or an empty text.
    ///   - limit: The greatest number of bytes. `…` follows a text that was cut.
    /// - Returns: The text, or nil if the body must not be logged: it is empty or has another format.
    package func text(ofBody body: Data, contentType: String, limit: Int) -> String? {
        guard !body.isEmpty, let bytes = BodyRedaction(self).redacted(body, contentType: contentType) else {
            return nil
        }
        var text = String(decoding: bytes.prefix(max(0, limit)), as: UTF8.self)
        if bytes.count <= limit { return text }
        // The cut may go through a character.
        while text.last == "\u{FFFD}" { text.removeLast() }
        return text + "…"
    }
}

/// Removes the secrets from the bodies of requests and responses.
package struct BodyRedaction {
    private let names: LogRedaction
    /// Nil for a log.
    private let changeJSON: ((JSON) -> JSON)?

    private static let hidden = Data(LogRedaction.placeholder.utf8)

    /// Creates a redaction for a log. Files in multipart forms are left out, and JSON is written without whitespace.
    init(_ names: LogRedaction) {
        (self.names, changeJSON) = (names, nil)
    }

    /// Creates a redaction for a recording. A body without secrets keeps each byte.
    ///
    /// - Parameter changeJSON: Changes each JSON document before it is redacted.
    package init(_ names: LogRedaction, recordingWith changeJSON: @escaping (JSON) -> JSON) {
        (self.names, self.changeJSON) = (names, changeJSON)
    }

    /// Returns the body without its secrets, or nil if it is neither JSON, a form nor an event stream.
    package func redacted(_ body: Data, contentType: String) -> Data? {
        let type = MediaType(contentType)
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if body.starts(with: byteOrderMark), let text = redacted(body.dropFirst(3), contentType: contentType)
        {
            return text == Self.hidden ? text : Data(byteOrderMark) + text
        }
        // Much JSON has no or another content type.
        if type.isJSON || body.first(where: { $0 > UInt8(ascii: " ") }).map("{[".utf8.contains) == true,
            let json = try? JSON(parsing: body)
        {
            return redacted(json, body)
        }
        return switch type.name {
        case _ where body.isEmpty: body
        case _ where type.isJSON: Self.hidden
        case "application/x-www-form-urlencoded": redactedForm(body) ?? Self.hidden
        case "text/event-stream": redactedEvents(body) ?? Self.hidden
        case let name where name.hasSuffix("ndjson") || name.hasSuffix("jsonl"): redactedLines(body)
        case let name where name.hasPrefix("multipart/"): redactedParts(body, contentType) ?? Self.hidden
        default: nil
        }
    }

    private func redacted(_ json: JSON, _ body: Data) -> Data {
        let changed = changeJSON?(json) ?? json
        let text = JSONRedaction.text(of: changed, names, keepsTypes: changeJSON != nil)
        return text.map { Data($0.utf8) } ?? (changeJSON != nil && changed == json ? body : changed.data)
    }

    /// A form consists of items with a name and a value (WHATWG URL §5.1).
    private func redactedForm(_ body: Data) -> Data? {
        let text = String(decoding: body, as: UTF8.self)
        guard body.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }),
            text.split(separator: "&").allSatisfy({ $0.contains("=") }), text.removingPercentEncoding != nil
        else { return nil }
        let placeholder = changeJSON == nil ? LogRedaction.placeholder : "%3Credacted%3E"
        return Data(names.redactedURL(text, placeholder: placeholder).utf8)
    }

    /// Each line is a JSON document.
    private func redactedLines(_ body: Data) -> Data {
        let lines = body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return Data(
            lines.map { redactedText(String(decoding: $0, as: UTF8.self)) }.joined(separator: "\n").utf8)
    }

    /// An event stream consists of lines (WHATWG HTML §9.2.6). An empty line ends an event. Its data may be in several
    /// lines, of which the redacted data needs fewer. Lines that end with CR alone can't be parsed here.
    private func redactedEvents(_ body: Data) -> Data? {
        guard
            let text = String(data: body, encoding: .utf8)?.unicodeScalars,
            !text.split(separator: "\n").contains(where: { $0.dropLast().contains("\r") })
        else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        var (redacted, event) = ([String](), [String]())
        for line in lines {
            event.append(line)
            if !line.isEmpty, line != "\r" { continue }
            redacted += redactedEvent(event)
            event = []
        }
        return Data((redacted + redactedEvent(event)).joined(separator: "\n").utf8)
    }

    private func redactedEvent(_ lines: [String]) -> [String] {
        let values = lines.filter { $0.hasPrefix("data:") }.map { $0.dropFirst(5) }.joined(separator: "\n")
        var data = redactedText(values).unicodeScalars.split(
            separator: "\n", omittingEmptySubsequences: false)[...]
        return lines.compactMap { line in
            line.hasPrefix("data:") ? data.popFirst().map { "data:\(String($0))" } : redactedText(line)
        }
    }

    /// Returns a text in a body without its secrets. In contrast to other texts, a log shows it if it isn't JSON.
    private func redactedText(_ text: String) -> String {
        if let json = try? JSON(parsing: text), json.count > 0 {
            return String(decoding: redacted(json, Data(text.utf8)), as: UTF8.self)
        }
        if LogRedaction.hasMember(text) { return LogRedaction.placeholder }
        return names.redacted(text, hidesBareUsers: false)
    }

    private func redactedParts(_ body: Data, _ contentType: String) -> Data? {
        guard let form = MultipartText(body, contentType: contentType) else { return nil }
        let names = names.forItems(form.parts.lazy.map(\.name))
        return form.replacingBodies { part, body in
            if names.isSecret(part.name) || part.contentType.hasPrefix("multipart/") { return Self.hidden }
            if part.isText, let text = String(data: body, encoding: .utf8) {
                return Data(redactedText(text).utf8)
            }
            let file = changeJSON == nil ? Data("<\(body.count) bytes>".utf8) : body
            return redacted(body, contentType: part.contentType) ?? file
        }
    }
}
