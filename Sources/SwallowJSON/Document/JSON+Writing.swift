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
        withText(sortedKeys ? .sorted : .compact) { $0.data }
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

private struct JSONWriter {
    enum Style {
        case compact
        case sorted
        case pretty
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
        if style == .sorted {
            let first = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
            for (name, value) in first.sorted(by: { $0.key < $1.key }) { write(name, value, &needsComma) }
        } else {
            for (name, value) in members { write(name, value, &needsComma) }
        }
        end("}", isEmpty: members.isEmpty)
    }

    private mutating func write(_ name: String, _ value: JSON, _ needsComma: inout Bool) {
        beginItem(&needsComma)
        output.append(string: name)
        output.append(style == .pretty ? ": " : ":")
        write(value)
    }

    /// Text without escapes is copied. Other text is written with the escapes that it needs.
    private mutating func write(string word: JSONWord, in document: JSONDocument) {
        if word.kind == .escaped {
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
        if needsComma { output.append(UInt8(ascii: ",")) }
        needsComma = true
        breakLine()
    }

    private mutating func end(_ bracket: StaticString, isEmpty: Bool) {
        depth -= 1
        if !isEmpty { breakLine() }
        output.append(bracket)
    }

    private mutating func breakLine() {
        guard style == .pretty else { return }
        output.append(UInt8(ascii: "\n"))
        for _ in 0..<depth { output.append("  ") }
    }
}
