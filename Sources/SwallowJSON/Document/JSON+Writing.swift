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
        data(sortedKeys: false)
    }

    /// The value as ``data``. If `sortedKeys` is true, each object's members come in the order of their names, of a
    /// repeated name only the first, so that objects with the same members are written alike.
    package func data(sortedKeys: Bool) -> Data {
        data(sortedKeys ? .sorted : .compact)
    }

    func data(_ style: JSONWriter.Style) -> Data {
        withText(style) { $0.data }
    }

    /// The value in several lines, indented by two spaces, as people like to read it.
    public var prettyPrinted: String {
        withText(.pretty) { String(decoding: $0.text, as: UTF8.self) }
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

    private func withText<Result>(_ style: JSONWriter.Style, _ body: (JSONOutput) -> Result) -> Result {
        var writer = JSONWriter(style)
        defer { writer.output.deallocate() }
        if fault == nil { writer.write(self) }
        return body(writer.output)
    }
}

extension JSON: CustomStringConvertible {
    /// The value as text without whitespace, see ``data``; `missing` for ``missing``, and for what can't be written the
    /// reason.
    public var description: String {
        if let fault { return "invalid: \(fault)" }
        return exists ? withText(.compact) { String(decoding: $0.text, as: UTF8.self) } : "missing"
    }
}

struct JSONWriter {
    struct Style {
        enum Layout {
            case compact
            case pretty
            /// As `JSONEncoder` indents text, with a space before each colon.
            case foundation
        }

        var layout = Layout.compact
        var sortsNames = false
        /// Whether strings keep the document's escapes. Otherwise they have only the escapes that they need.
        var keepsEscapes = false

        static let compact = Style()
        static let sorted = Style(sortsNames: true)
        static let pretty = Style(layout: .pretty)
    }

    private let style: Style
    private(set) var output = JSONOutput()
    private var depth = 0

    init(_ style: Style) {
        self.style = style
    }

    mutating func write(_ json: JSON) {
        guard let document = json.document, let word = json.word else { return output.append("null") }
        switch word.kind {
        case .null: output.append("null")
        case .true: output.append("true")
        case .false: output.append("false")
        case .integer, .fraction: document.withText(of: word) { output.append($0) }
        case .ascii, .text, .escaped: write(string: word, in: document)
        case .array: write(json.elements)
        case .object: writeMembers(of: json, in: document)
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

    private mutating func writeMembers(of json: JSON, in document: JSONDocument) {
        begin("{")
        var needsComma = false
        for name in names(ofObjectAt: json.position, in: document) {
            beginItem(&needsComma)
            write(string: document.word(at: name), in: document)
            switch style.layout {
            case .compact: output.append(":")
            case .pretty: output.append(": ")
            case .foundation: output.append(" : ")
            }
            write(JSON(document, at: name + 1))
        }
        end("}", isEmpty: !needsComma)
    }

    /// The positions of an object's names, in the order in which they are written.
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
            output.append(string: document.string(word))
        } else {
            output.append(UInt8(ascii: "\""))
            document.withText(of: word) { output.append($0) }
            output.append(UInt8(ascii: "\""))
        }
    }

    private mutating func begin(_ bracket: StaticString) {
        output.append(bracket)
        depth += 1
    }

    private mutating func beginItem(_ needsComma: inout Bool) {
        if needsComma { output.append(",") }
        needsComma = true
        breakLine()
    }

    private mutating func end(_ bracket: StaticString, isEmpty: Bool) {
        depth -= 1
        if isEmpty, style.layout == .foundation { output.append("\n") }
        if !isEmpty || style.layout == .foundation { breakLine() }
        output.append(bracket)
    }

    private mutating func breakLine() {
        guard style.layout != .compact else { return }
        output.append("\n")
        for _ in 0..<depth { output.append("  ") }
    }
}

extension JSONWriter.Style {
    /// The style of `JSONEncoder`'s text, or `nil` if it is neither sorted nor indented.
    init?(_ formatting: JSONEncoder.OutputFormatting) {
        let isPretty = formatting.contains(.prettyPrinted)
        guard isPretty || formatting.contains(.sortedKeys) else { return nil }
        self.init(
            layout: isPretty ? .foundation : .compact, sortsNames: formatting.contains(.sortedKeys),
            keepsEscapes: true)
    }
}
