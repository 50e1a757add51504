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
    /// Whether the innermost open container has no part so far.
    private var isEmpty = false

    init(_ style: Style) {
        self.style = style
    }

    mutating func fail(_ reason: String) {
        fault = fault ?? reason
    }

    mutating func write(_ json: JSON) {
        if let fault = json.fault { return fail(fault) }
        guard json.exists else { return buffer.append("null") }
        withExtendedLifetime(json) { write(valueAt: json.position, in: json.owner.tape) }
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
        guard begin("[") else { return }
        for element in elements where fault == nil {
            beginPart()
            try write(&self, element)
        }
        end("]")
    }

    /// Writes an object. The closure writes a member, with ``writeColon()`` between the name and the value.
    mutating func writeObject<Members: Sequence>(
        of members: Members, _ write: (inout JSONWriter, Members.Element) throws -> Void
    ) rethrows {
        guard begin("{") else { return }
        for member in members where fault == nil {
            beginPart()
            try write(&self, member)
        }
        end("}")
    }

    mutating func writeColon() {
        switch style.layout {
        case .compact: buffer.append(":")
        case .pretty: buffer.append(": ")
        case .foundation: buffer.append(" : ")
        }
    }

    private mutating func begin(_ bracket: StaticString) -> Bool {
        guard depth < JSONParser.depthLimit else {
            fail("more than \(JSONParser.depthLimit) levels of nesting")
            return false
        }
        buffer.append(bracket)
        depth += 1
        isEmpty = true
        return true
    }

    private mutating func beginPart() {
        if !isEmpty { buffer.append(",") }
        isEmpty = false
        breakLine()
    }

    private mutating func end(_ bracket: StaticString) {
        depth -= 1
        if isEmpty, style.layout == .foundation { buffer.append("\n") }
        if !isEmpty || style.layout == .foundation { breakLine() }
        buffer.append(bracket)
        // The container is a part of the outer one.
        isEmpty = false
    }

    private mutating func breakLine() {
        guard style.layout != .compact else { return }
        buffer.append("\n")
        for _ in 0..<depth { buffer.append("  ") }
    }
}

extension JSONWriter {
    // Generic functions and closures would need several times as much stack for each level in a debug build.

    private mutating func write(valueAt position: Int, in tape: JSONTape) {
        let word = tape.word(at: position)
        switch word.kind {
        case .null: buffer.append("null")
        case .true: buffer.append("true")
        case .false: buffer.append("false")
        case .integer, .fraction: buffer.append(tape.text(of: word))
        case .ascii, .text, .escaped: write(string: word, in: tape)
        case .array: write(arrayAt: position, in: tape)
        case .object where style.sortsNames: write(sortedObjectAt: position, in: tape)
        case .object: write(objectAt: position, in: tape)
        }
    }

    private mutating func write(arrayAt position: Int, in tape: JSONTape) {
        guard begin("[") else { return }
        for element in tape.parts(ofContainerAt: position) where fault == nil {
            beginPart()
            write(valueAt: element, in: tape)
        }
        end("]")
    }

    private mutating func write(objectAt position: Int, in tape: JSONTape) {
        guard begin("{") else { return }
        for name in tape.parts(ofContainerAt: position) where fault == nil {
            beginMember(name, in: tape)
            write(valueAt: name + 1, in: tape)
        }
        end("}")
    }

    private mutating func write(sortedObjectAt position: Int, in tape: JSONTape) {
        guard begin("{") else { return }
        for name in sortedNames(ofObjectAt: position, in: tape) where fault == nil {
            beginMember(name, in: tape)
            write(valueAt: name + 1, in: tape)
        }
        end("}")
    }

    private mutating func beginMember(_ name: Int, in tape: JSONTape) {
        beginPart()
        write(string: tape.word(at: name), in: tape)
        writeColon()
    }

    /// Returns the positions of an object's names in the order of the names. Of repeated names, the first counts.
    private func sortedNames(ofObjectAt position: Int, in tape: JSONTape) -> [Int] {
        let names = tape.parts(ofContainerAt: position)
        let texts = names.map { tape.string(tape.word(at: $0)) }
        return Dictionary(zip(texts, names)) { first, _ in first }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
    }

    private mutating func write(string word: JSONWord, in tape: JSONTape) {
        if word.kind == .escaped, !style.keepsEscapes {
            buffer.append(string: tape.string(word))
        } else {
            buffer.append(UInt8(ascii: "\""))
            buffer.append(tape.text(of: word))
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
