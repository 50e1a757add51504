import Foundation

/// Writes JSON text. If a value can't be written, ``fault`` is the reason.
struct JSONWriter {
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
    private(set) var fault: String?
    private var depth = 0

    init(_ style: Style) {
        self.style = style
    }

    mutating func fail(_ reason: String) {
        fault = fault ?? reason
    }

    mutating func write(_ json: JSON) {
        if let fault = json.fault { return fail(fault) }
        guard let document = json.document else { return buffer.append("null") }
        write(valueAt: json.position, in: document)
    }

    mutating func write(_ string: String) {
        buffer.append(string: string)
    }

    mutating func write(number: String) {
        buffer.append(text: number)
    }

    mutating func writeArray<Elements: Sequence>(
        of elements: Elements, _ write: (inout JSONWriter, Elements.Element) throws -> Void
    ) rethrows {
        try writeParts(elements, between: "[", "]", write)
    }

    /// Writes an object. The closure writes a member, with ``writeColon()`` between the name and the value.
    mutating func writeObject<Members: Sequence>(
        of members: Members, _ write: (inout JSONWriter, Members.Element) throws -> Void
    ) rethrows {
        try writeParts(members, between: "{", "}", write)
    }

    mutating func writeColon() {
        switch style.layout {
        case .compact: buffer.append(":")
        case .pretty: buffer.append(": ")
        case .foundation: buffer.append(" : ")
        }
    }

    private mutating func writeParts<Parts: Sequence>(
        _ parts: Parts, between opening: StaticString, _ closing: StaticString,
        _ write: (inout JSONWriter, Parts.Element) throws -> Void
    ) rethrows {
        guard depth < JSONParser.depthLimit else {
            return fail("more than \(JSONParser.depthLimit) levels of nesting")
        }
        buffer.append(opening)
        depth += 1
        var isEmpty = true
        for part in parts where fault == nil {
            if !isEmpty { buffer.append(",") }
            isEmpty = false
            breakLine()
            try write(&self, part)
        }
        depth -= 1
        if isEmpty, style.layout == .foundation { buffer.append("\n") }
        if !isEmpty || style.layout == .foundation { breakLine() }
        buffer.append(closing)
    }

    private mutating func breakLine() {
        guard style.layout != .compact else { return }
        buffer.append("\n")
        for _ in 0..<depth { buffer.append("  ") }
    }
}

extension JSONWriter {
    private mutating func write(valueAt position: Int, in document: JSONDocument) {
        let word = document.word(at: position)
        switch word.kind {
        case .null: buffer.append("null")
        case .true: buffer.append("true")
        case .false: buffer.append("false")
        case .integer, .fraction: document.withText(of: word) { buffer.append($0) }
        case .ascii, .text, .escaped: write(string: word, in: document)
        case .array:
            writeArray(of: document.tape.parts(ofContainerAt: position)) { writer, element in
                writer.write(valueAt: element, in: document)
            }
        case .object where style.sortsNames:
            writeMembers(sortedNames(ofObjectAt: position, in: document), in: document)
        case .object: writeMembers(document.tape.parts(ofContainerAt: position), in: document)
        }
    }

    private mutating func writeMembers(_ names: some Sequence<Int>, in document: JSONDocument) {
        writeObject(of: names) { writer, name in
            writer.write(string: document.word(at: name), in: document)
            writer.writeColon()
            writer.write(valueAt: name + 1, in: document)
        }
    }

    /// Returns the positions of an object's names in the order of the names. Of repeated names, the first counts.
    private func sortedNames(ofObjectAt position: Int, in document: JSONDocument) -> [Int] {
        let names = document.tape.parts(ofContainerAt: position)
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
}

extension JSONWriter.Style {
    init?(_ formatting: JSONEncoder.OutputFormatting) {
        let isPretty = formatting.contains(.prettyPrinted)
        guard isPretty || formatting.contains(.sortedKeys) else { return nil }
        self.init(
            layout: isPretty ? .foundation : .compact, sortsNames: formatting.contains(.sortedKeys),
            keepsEscapes: true)
    }
}
