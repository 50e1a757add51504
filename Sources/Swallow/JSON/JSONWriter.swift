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
        switch json.content {
        case .missing, .null: bytes += "null".utf8
        case .bool(let bool): bytes += (bool ? "true" : "false").utf8
        case .number(let text): bytes += text.utf8
        case .string(let string): write(string)
        case .array(let elements): write(elements)
        case .object(let members): write(style == .sorted ? sorted(json) : members)
        }
    }

    private func sorted(_ json: JSON) -> JSON.Members {
        let members = (json.object ?? [:]).sorted { $0.key < $1.key }
        return JSON.Members(members.map { (key: $0.key, value: $0.value) })
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
            beginItem(&needsComma)
            write(name)
            bytes += (style == .pretty ? ": " : ":").utf8
            write(value)
        }
        end("}", isEmpty: members.isEmpty)
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

    private mutating func write(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += #"\""#.utf8
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case 0x08: bytes += #"\b"#.utf8
            case 0x09: bytes += #"\t"#.utf8
            case 0x0A: bytes += #"\n"#.utf8
            case 0x0C: bytes += #"\f"#.utf8
            case 0x0D: bytes += #"\r"#.utf8
            case ..<0x10: bytes += (#"\u000"# + String(byte, radix: 16)).utf8
            case ..<0x20: bytes += (#"\u00"# + String(byte, radix: 16)).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
