import Foundation
import Swallow

extension HAR.Redaction {
    /// A text without its secrets: those of the URLs, and of the JSON, that stand in it; nil where it has none.
    func redacted(_ text: String) -> String? {
        redacted(Array(text.utf8), isMarkup: false).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A body without its secrets; nil where it has none.
    func redacted(_ data: Data, mimeType: String) -> Data? {
        let type = MediaType(mimeType)
        if type.name == "application/x-www-form-urlencoded" { return redactedForm(data) }
        if type.name.hasPrefix("multipart/"), let form = MultipartText(data, mimeType: mimeType) {
            return redacted(form)
        }
        if type.name == "text/event-stream" { return redactedEvents(data) }
        return redactedText(data, type)
    }

    /// JSON, or text that it may stand in.
    private func redactedText(_ data: Data, _ type: MediaType) -> Data? {
        let (start, text) = data.splitBeforeJSON
        if type.isJSON || text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "["),
            let json = try? JSON(parsing: Data(text))
        {
            let rest = redacted(json)
            return rest == json ? nil : start + rest.data
        }
        // Bytes of an image, say.
        if data.contains(0) { return nil }
        let isMarkup = Self.markup.contains(type.name) || type.name.hasSuffix("+xml")
        return redacted(Array(data), isMarkup: isMarkup).map { Data($0) }
    }

    /// What holds text of other languages, in which the colon or the sign of a secret would mean something else.
    private static let markup: Set<String> = [
        "text/html", "text/css", "text/xml", "application/xml", "text/javascript", "application/javascript",
    ]

    private func redacted(_ bytes: [UInt8], isMarkup: Bool) -> [UInt8]? {
        let members = names.redactedMembers(bytes)
        let items = isMarkup ? nil : names.redacted(members ?? bytes)
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
        let items = text.split(separator: "&", omittingEmptySubsequences: false)
        let fields = items.map { HAR.Field.form(String($0)).first }
        let names = names.forItems(fields.lazy.compactMap { $0?.name })
        let redacted = zip(items, fields).map { item, field -> String in
            guard let field, item.contains("=") else { return String(item) }
            let name = item.prefix { $0 != "=" }
            if names.isSecretItem(field.name) { return name + "=%3Credacted%3E" }
            return self.redacted(field.value).map { "\(name)=\(HAR.PostData.escaped($0))" } ?? String(item)
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
    /// A stream of events (WHATWG HTML §9.2.6), of which the data of one may be in several lines.
    private func redactedEvents(_ data: Data) -> Data? {
        var (lines, isChanged) = ([Data](), false)
        var event: [Data] = []
        for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            guard line.isEmpty || line.elementsEqual([UInt8(ascii: "\r")]) else {
                event.append(line)
                continue
            }
            lines += redactedEvent(event, &isChanged) + [line]
            event = []
        }
        lines += redactedEvent(event, &isChanged)
        let rest = isChanged ? Data(lines.joined(separator: [UInt8(ascii: "\n")])) : data
        // Comments, names, and lines that end otherwise.
        return redacted(Array(rest), isMarkup: false).map { Data($0) } ?? (isChanged ? rest : nil)
    }

    private func redactedEvent(_ lines: [Data], _ isChanged: inout Bool) -> [Data] {
        let field = Data("data:".utf8)
        let values = lines.filter { $0.starts(with: field) }.map { line in
            let value = line.dropFirst(field.count)
            return value.last == UInt8(ascii: "\r") ? value.dropLast() : value
        }
        let whole = Data(values.joined(separator: [UInt8(ascii: "\n")]))
        guard let rest = redactedText(whole, MediaType("")) else { return lines }
        isChanged = true
        let first = lines.firstIndex { $0.starts(with: field) } ?? 0
        let data = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            field + [UInt8(ascii: " ")] + $0.drop { $0 == UInt8(ascii: " ") }
        }
        return lines[..<first] + data + lines[first...].filter { !$0.starts(with: field) }
    }
}

extension Data {
    /// What may stand before a JSON document, and the rest: a byte order mark, spaces, and the line by which some servers
    /// keep it from being run as a script.
    fileprivate var splitBeforeJSON: (start: Data, rest: Data) {
        var rest = self[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.withoutSpaces
        if rest.starts(with: ")]}'".utf8) {
            rest = rest.dropFirst(4)
            if rest.first == UInt8(ascii: ",") { rest = rest.dropFirst() }
        }
        rest = rest.withoutSpaces
        return (self[..<rest.startIndex], rest)
    }

    private var withoutSpaces: Data { drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }
}
