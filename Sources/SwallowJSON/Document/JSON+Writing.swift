import Foundation

extension JSON {
    /// The value as UTF-8 text without whitespace. ``missing`` is written as `null`.
    ///
    /// Numbers keep their spelling and members their order. Only what RFC 8259 §7 demands is escaped: quotes,
    /// backslashes and control characters. Reading it gives an equal value.
    ///
    /// A value that was built with a number that isn't finite, or with more than 512 levels of nesting, can't be
    /// written. Its `data` is empty, its ``description`` says why, and encoding or sending it throws.
    public var data: Data {
        Data(text(.compact))
    }

    /// The value as ``data``. If `sortedKeys` is true, each object's members come in the order of their names, of a
    /// repeated name only the first, so that objects with the same members are written alike.
    package func data(sortedKeys: Bool) -> Data {
        Data(text(sortedKeys ? .sorted : .compact))
    }

    /// The value in several lines, indented by two spaces, as people like to read it.
    public var prettyPrinted: String {
        String(decoding: text(.pretty), as: UTF8.self)
    }

    /// ``data``, or an error that says why the value can't be written.
    func written() throws -> Data {
        try checkFault(at: [])
        return data
    }

    func checkFault(at path: [any CodingKey]) throws {
        if let fault {
            throw EncodingError.invalidValue(self, .init(codingPath: path, debugDescription: fault))
        }
    }

    private func text(_ style: JSONWriter.Style) -> [UInt8] {
        if fault != nil { return [] }
        var writer = JSONWriter(style: style)
        writer.write(self)
        return writer.bytes
    }
}

extension JSON: CustomStringConvertible {
    /// The value as text without whitespace, see ``data``; `missing` for ``missing``, and for what can't be written the
    /// reason.
    public var description: String {
        if let fault { return "invalid: \(fault)" }
        return exists ? String(decoding: text(.compact), as: UTF8.self) : "missing"
    }
}

private struct JSONWriter {
    enum Style {
        case compact
        case sorted
        case pretty
    }

    let style: Style
    private(set) var bytes: [UInt8] = []
    private var depth = 0

    init(style: Style) {
        self.style = style
    }

    mutating func write(_ json: JSON) {
        guard let document = json.document, let word = json.word else { return bytes += "null".utf8 }
        switch word.kind {
        case .null: bytes += "null".utf8
        case .true: bytes += "true".utf8
        case .false: bytes += "false".utf8
        case .integer, .fraction: document.withText(of: word) { bytes += $0 }
        case .ascii, .text, .escaped: write(word, in: document)
        case .array: write(json.elements)
        case .object where style == .sorted: writeSorted(json)
        case .object: write(json.members)
        }
    }

    private mutating func write(_ elements: JSON.Elements) {
        begin("[")
        var needsComma = false
        for element in elements {
            beginItem(&needsComma)
            write(element)
        }
        end("]", isEmpty: elements.isEmpty)
    }

    private mutating func write(_ members: JSON.Members) {
        begin("{")
        var needsComma = false
        for (name, value) in members {
            writeMember(name, value, &needsComma)
        }
        end("}", isEmpty: members.isEmpty)
    }

    private mutating func writeSorted(_ json: JSON) {
        begin("{")
        var needsComma = false
        for (name, value) in (json.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            writeMember(name, value, &needsComma)
        }
        end("}", isEmpty: !needsComma)
    }

    private mutating func writeMember(_ name: String, _ value: JSON, _ needsComma: inout Bool) {
        beginItem(&needsComma)
        bytes.append(UInt8(ascii: "\""))
        _ = JSONString.append(name, to: &bytes)
        bytes += (style == .pretty ? "\": " : "\":").utf8
        write(value)
    }

    /// Text without escapes is copied; other text is written with the escapes that it needs.
    private mutating func write(_ string: JSONWord, in document: JSONDocument) {
        bytes.append(UInt8(ascii: "\""))
        if string.kind == .escaped {
            _ = JSONString.append(document.string(string), to: &bytes)
        } else {
            document.withText(of: string) { bytes += $0 }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func begin(_ bracket: String) {
        bytes += bracket.utf8
        depth += 1
    }

    private mutating func beginItem(_ needsComma: inout Bool) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        breakLine()
    }

    private mutating func end(_ bracket: String, isEmpty: Bool) {
        depth -= 1
        if !isEmpty { breakLine() }
        bytes += bracket.utf8
    }

    private mutating func breakLine() {
        guard style == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes += repeatElement(UInt8(ascii: " "), count: 2 * depth)
    }
}
