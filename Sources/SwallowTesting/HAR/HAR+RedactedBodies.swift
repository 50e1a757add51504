import Foundation
import Swallow

extension HAR.Redaction {
    /// A text of a body without its secrets: those of the URLs and of the JSON in it; nil where it has none.
    func redacted(_ text: String) -> String? {
        redacted(Array(text.utf8), isMarkup: false).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A body without its secrets; nil where it has none.
    func redacted(_ data: Data, mimeType: String) -> Data? {
        guard let wide = WideText(data, mimeType) else { return redactedNarrow(data, mimeType) }
        return redactedNarrow(Data(wide.text.utf8), mimeType).map {
            wide.encoded(String(decoding: $0, as: UTF8.self))
        }
    }

    /// The same for bytes in a charset that has ASCII in it.
    private func redactedNarrow(_ data: Data, _ mimeType: String) -> Data? {
        let type = MediaType(mimeType)
        if type.name == "application/x-www-form-urlencoded" { return redactedForm(data) }
        if type.name.hasPrefix("multipart/") {
            if let form = MultipartText(data, mimeType: mimeType) { return redacted(form) }
            // Without the parts nothing tells which values belong to secret names.
            if MultipartText.namesFields(data) { return Data(LogRedaction.placeholder.utf8) }
        }
        if type.name == "text/event-stream" { return redactedEvents(data) }
        return redactedText(data, type)
    }

    /// JSON without its secrets, or text that JSON may stand in; nil where nothing is secret.
    private func redactedText(_ data: Data, _ type: MediaType) -> Data? {
        let (start, text) = data.splitBeforeJSON
        if type.isJSON || text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "["),
            let json = try? JSON(parsing: Data(text))
        {
            let rest = redacted(json)
            return rest == json ? nil : start + rest.data
        }
        // Not text, but an image, say.
        if data.contains(0) { return nil }
        let isMarkup = Self.markup.contains(type.name) || type.name.hasSuffix("+xml")
        return redacted(Array(data), isMarkup: isMarkup).map { Data($0) }
    }

    /// Media types of markup and code, in which an equals sign needn't stand between a name and its value.
    private static let markup: Set<String> = [
        "text/html", "text/css", "text/xml", "application/xml", "text/javascript", "application/javascript",
    ]

    private func redacted(_ bytes: [UInt8], isMarkup: Bool) -> [UInt8]? {
        let members = names.redactedMembers(bytes)
        let items = isMarkup ? nil : names.redactedBody(members ?? bytes)
        guard let redacted = items ?? members, redacted != bytes else { return nil }
        return redacted
    }

    private func redacted(_ json: JSON) -> JSON {
        var rest = withoutSecrets(json)
        for path in paths { rest = path.changing(rest, Self.hidden) }
        return rest
    }

    private func withoutSecrets(_ json: JSON) -> JSON {
        if let string = json.string { return redacted(string).map { .string($0) } ?? json }
        let names = names.forItems(json.members.lazy.map(\.key))
        return json.mapParts { name, _, value in
            name.map(names.isSecretItem) == true ? Self.hidden(value) : withoutSecrets(value)
        }
    }

    private func redactedForm(_ data: Data) -> Data? {
        let text = String(decoding: data, as: UTF8.self)
        let items = text.split(separator: "&", omittingEmptySubsequences: false).map { item in
            QueryItem(item, plusIsSpace: true)
        }
        let names = names.forItems(items.lazy.map(\.name))
        let redacted = items.map { item -> String in
            guard let value = item.value else { return String(item.text) }
            let name = item.text.prefix { $0 != "=" }
            if names.isSecretItem(item.name) { return name + "=%3Credacted%3E" }
            return self.redacted(value).map { "\(name)=\(HAR.PostData.escaped($0))" } ?? String(item.text)
        }
        .joined(separator: "&")
        return redacted == text ? nil : Data(redacted.utf8)
    }

    private func redacted(_ form: MultipartText) -> Data? {
        let names = names.forItems(form.parts.lazy.compactMap(\.name))
        return form.replacingBodies { part in
            if part.name.map(names.isSecretItem) == true { return Data(LogRedaction.placeholder.utf8) }
            return redactedText(part.body, MediaType(part.contentType))
        }
    }
}

// MARK: - Events

extension HAR.Redaction {
    /// A stream of events (WHATWG HTML §9.2.6). The data of one event may be in several lines.
    private func redactedEvents(_ data: Data) -> Data? {
        let (mark, rest) = data.splitAfterByteOrderMark
        var (redacted, event) = (mark, [EventLine]())
        for line in EventLine.lines(of: rest) {
            event.append(line)
            if !line.content.isEmpty { continue }
            redacted += redactedEvent(event)
            event = []
        }
        redacted += redactedEvent(event)
        return redacted == data ? nil : redacted
    }

    private func redactedEvent(_ lines: [EventLine]) -> Data {
        let values = lines.compactMap(\.value)
        let whole = Data(values.joined(separator: [UInt8(ascii: "\n")]))
        let changed = redactedText(whole, MediaType(""))?
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var rest = (changed ?? values)[...]
        return lines.reduce(into: Data()) { text, line in
            if line.value == nil {
                // A comment, or a field that isn't looked at together with others.
                text += redacted(Array(line.content), isMarkup: false).map { Data($0) } ?? line.content
            } else if let value = rest.popFirst() {
                text += EventLine.field + value
            } else {
                return
            }
            text += line.end
        }
    }
}

/// A line of an event stream, as it was sent.
private struct EventLine {
    static let field = Data("data:".utf8)

    let content: Data
    /// CR, LF, both, or nothing at the end of the stream.
    let end: Data

    /// What follows `data:`; nil for another line.
    var value: Data? { content.starts(with: Self.field) ? content.dropFirst(Self.field.count) : nil }

    static func lines(of data: Data) -> [EventLine] {
        var (lines, rest) = ([EventLine](), data)
        while let last = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
            let isPair = rest[last...].starts(with: [0x0D, 0x0A])
            let next = last + (isPair ? 2 : 1)
            lines.append(EventLine(content: rest[..<last], end: rest[last..<next]))
            rest = rest[next...]
        }
        return rest.isEmpty ? lines : lines + [EventLine(content: rest, end: Data())]
    }
}

/// A body in UTF-16 or UTF-32, whose bytes aren't those of ASCII.
private struct WideText {
    let text: String
    private let mark: Data
    private let encoding: String.Encoding

    /// Nil unless a byte order mark, the media type, or zeros between JSON's first letters tell the encoding.
    init?(_ data: Data, _ mimeType: String) {
        let known = Self.marks.first { data.starts(with: $0.bytes) }
        mark = Data(known?.bytes ?? [])
        guard let encoding = known?.encoding ?? Self.encoding(of: data, mimeType),
            let text = String(data: data.dropFirst(mark.count), encoding: encoding)
        else { return nil }
        (self.text, self.encoding) = (text, encoding)
    }

    /// Another text in the same encoding.
    func encoded(_ text: String) -> Data { mark + (text.data(using: encoding) ?? Data()) }

    private static let marks: [(bytes: [UInt8], encoding: String.Encoding)] = [
        ([0xFF, 0xFE, 0, 0], .utf32LittleEndian), ([0, 0, 0xFE, 0xFF], .utf32BigEndian),
        ([0xFF, 0xFE], .utf16LittleEndian), ([0xFE, 0xFF], .utf16BigEndian),
    ]

    private static func encoding(of data: Data, _ mimeType: String) -> String.Encoding? {
        // Both of JSON's first two letters are ASCII (RFC 4627 §3).
        switch data.prefix(4).map({ $0 == 0 }) {
        case [true, false, true, false]: return .utf16BigEndian
        case [false, true, false, true]: return .utf16LittleEndian
        default: break
        }
        switch MediaType(mimeType).charset?.lowercased() {
        case "utf-16", "utf-16be": return .utf16BigEndian
        case "utf-16le": return .utf16LittleEndian
        case "utf-32", "utf-32be": return .utf32BigEndian
        case "utf-32le": return .utf32LittleEndian
        default: return nil
        }
    }
}

extension Data {
    /// What may stand before a JSON document, and the rest: a byte order mark, spaces, and the line by which some servers
    /// keep browsers from running the JSON as a script.
    fileprivate var splitBeforeJSON: (start: Data, rest: Data) {
        var rest = splitAfterByteOrderMark.rest.withoutSpaces
        if rest.starts(with: ")]}'".utf8) {
            rest = rest.dropFirst(4)
            if rest.first == UInt8(ascii: ",") { rest = rest.dropFirst() }
        }
        rest = rest.withoutSpaces
        return (self[..<rest.startIndex], rest)
    }

    fileprivate var splitAfterByteOrderMark: (start: Data, rest: Data) {
        let rest = starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self
        return (self[..<rest.startIndex], rest)
    }

    private var withoutSpaces: Data { drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }
}
