/// Writes values as JSON text.
struct JSONWriter {
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

    /// Text without escapes needs none; one that has some is written with those it can't do without.
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
