import Foundation

extension JSON {
    /// The value as compact UTF-8 text. ``missing`` is written as `null`.
    ///
    /// Numbers keep their spelling, and members keep their order. Only required characters are escaped (RFC 8259 §7).
    ///
    /// A value can't be written if it contains, for example, a number that isn't finite, or more than 512 levels of
    /// nesting. Its `data` is empty, its ``description`` contains the reason, and encoding or sending it fails.
    public var data: Data {
        data(sortedKeys: false)
    }

    /// Returns the compact text. If names are sorted, only the first of several members with the same name is written.
    package func data(sortedKeys: Bool) -> Data {
        data(sortedKeys ? .sorted : .compact)
    }

    func data(_ style: JSONFormatter.Style) -> Data {
        withText(style) { $0.data }
    }

    /// The value as text with line breaks. Each level is indented by two more spaces.
    public var prettyPrinted: String {
        withText(.pretty) { String(decoding: $0.text, as: UTF8.self) }
    }

    func written() throws -> Data {
        try checkFault(at: [])
        return data
    }

    func checkFault(at path: [any CodingKey]) throws {
        if let fault {
            throw EncodingError.invalidValue(self, .init(codingPath: path, debugDescription: fault))
        }
    }

    private func withText<Result>(_ style: JSONFormatter.Style, _ body: (JSONTextBuffer) -> Result) -> Result
    {
        var formatter = JSONFormatter(style)
        defer { formatter.buffer.deallocate() }
        if fault == nil { formatter.write(self) }
        return body(formatter.buffer)
    }
}

extension JSON: CustomStringConvertible {
    /// The value as compact text, `missing`, or the reason why it can't be written.
    public var description: String {
        if let fault { return "invalid: \(fault)" }
        return exists ? withText(.compact) { String(decoding: $0.text, as: UTF8.self) } : "missing"
    }
}

struct JSONFormatter {
    struct Style {
        enum Layout {
            case compact
            case pretty
            case foundation
        }

        var layout = Layout.compact
        var sortsNames = false
        var keepsEscapes = false

        static let compact = Style()
        static let sorted = Style(sortsNames: true)
        static let pretty = Style(layout: .pretty)
    }

    private let style: Style
    private(set) var buffer = JSONTextBuffer()
    private var depth = 0

    init(_ style: Style) {
        self.style = style
    }

    mutating func write(_ json: JSON) {
        guard let document = json.document else { return buffer.append("null") }
        write(valueAt: json.position, in: document)
    }

    private mutating func write(valueAt position: Int, in document: JSONDocument) {
        let word = document.word(at: position)
        switch word.kind {
        case .null: buffer.append("null")
        case .true: buffer.append("true")
        case .false: buffer.append("false")
        case .integer, .fraction: document.withText(of: word) { buffer.append($0) }
        case .ascii, .text, .escaped: write(string: word, in: document)
        case .array: writeElements(ofArrayAt: position, in: document)
        case .object: writeMembers(ofObjectAt: position, in: document)
        }
    }

    private mutating func writeElements(ofArrayAt position: Int, in document: JSONDocument) {
        begin("[")
        let end = document.word(at: position).offset
        var needsComma = false
        var place = position + 1
        while place < end {
            beginItem(&needsComma)
            write(valueAt: place, in: document)
            place = document.end(of: place)
        }
        self.end("]", isEmpty: !needsComma)
    }

    private mutating func writeMembers(ofObjectAt position: Int, in document: JSONDocument) {
        begin("{")
        var needsComma = false
        for name in names(ofObjectAt: position, in: document) {
            beginItem(&needsComma)
            write(string: document.word(at: name), in: document)
            switch style.layout {
            case .compact: buffer.append(":")
            case .pretty: buffer.append(": ")
            case .foundation: buffer.append(" : ")
            }
            write(valueAt: name + 1, in: document)
        }
        end("}", isEmpty: !needsComma)
    }

    private func names(ofObjectAt position: Int, in document: JSONDocument) -> [Int] {
        let word = document.word(at: position)
        var names: [Int] = []
        names.reserveCapacity(word.length)
        var place = position + 1
        while place < word.offset {
            names.append(place)
            place = document.end(of: place + 1)
        }
        guard style.sortsNames else { return names }
        let texts = names.map { document.string(document.word(at: $0)) }
        return Dictionary(zip(texts, names)) { first, _ in first }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
    }

    private mutating func write(string word: JSONWord, in document: JSONDocument) {
        if word.kind == .escaped, !style.keepsEscapes {
            buffer.append(string: document.string(word))
        } else {
            buffer.append(UInt8(ascii: "\""))
            document.withText(of: word) { buffer.append($0) }
            buffer.append(UInt8(ascii: "\""))
        }
    }

    private mutating func begin(_ bracket: StaticString) {
        buffer.append(bracket)
        depth += 1
    }

    private mutating func beginItem(_ needsComma: inout Bool) {
        if needsComma { buffer.append(",") }
        needsComma = true
        breakLine()
    }

    private mutating func end(_ bracket: StaticString, isEmpty: Bool) {
        depth -= 1
        if isEmpty, style.layout == .foundation { buffer.append("\n") }
        if !isEmpty || style.layout == .foundation { breakLine() }
        buffer.append(bracket)
    }

    private mutating func breakLine() {
        guard style.layout != .compact else { return }
        buffer.append("\n")
        for _ in 0..<depth { buffer.append("  ") }
    }
}

extension JSONFormatter.Style {
    init?(_ formatting: JSONEncoder.OutputFormatting) {
        let isPretty = formatting.contains(.prettyPrinted)
        guard isPretty || formatting.contains(.sortedKeys) else { return nil }
        self.init(
            layout: isPretty ? .foundation : .compact, sortsNames: formatting.contains(.sortedKeys),
            keepsEscapes: true)
    }
}
