/// Reads one document in one pass.
///
/// Arrays and objects still open are kept in `open` rather than on the call stack, so the depth of a
/// document costs no stack, which is small on other threads than the main one.
struct JSONParser {
    static let depthLimit = 512

    private var reader: JSONReader
    private var open: [OpenContainer] = []

    /// An array, or, once it has a `name` waiting for its value, an object.
    private struct OpenContainer {
        var elements: [JSON] = []
        var members: [JSON.Members.Element] = []
        var name: String?
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        reader = JSONReader(bytes)
    }

    mutating func document() throws(JSONError) -> JSON {
        reader.skipByteOrderMark()
        let value = try value()
        reader.skipWhitespace()
        guard reader.current == nil else { throw reader.failure(expected: "the end of the document") }
        return value
    }

    /// Reads the next value and everything in it: each round opens containers up to a complete value, then
    /// hands that to the innermost, which may complete it, and so on outwards.
    private mutating func value() throws(JSONError) -> JSON {
        while true {
            var complete = try beginValue()
            while let value = complete {
                guard !open.isEmpty else { return value }
                complete = try add(value)
            }
        }
    }

    /// Reads a value that has no parts, or opens a container and gives nothing.
    private mutating func beginValue() throws(JSONError) -> JSON? {
        reader.skipWhitespace()
        guard let byte = reader.current else { throw reader.failure(expected: "a value") }
        switch byte {
        case UInt8(ascii: "{"): return try beginObject()
        case UInt8(ascii: "["): return try beginArray()
        case UInt8(ascii: "\""): return JSON(.string(try reader.string()))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return JSON(.number(try reader.number()))
        case UInt8(ascii: "t"):
            try reader.literal("true")
            return JSON(.bool(true))
        case UInt8(ascii: "f"):
            try reader.literal("false")
            return JSON(.bool(false))
        case UInt8(ascii: "n"):
            try reader.literal("null")
            return .null
        default: throw reader.failure(expected: "a value")
        }
    }

    private mutating func beginArray() throws(JSONError) -> JSON? {
        try checkDepth()
        reader.advance()
        reader.skipWhitespace()
        if reader.skip(UInt8(ascii: "]")) { return JSON(.array(JSON.Elements([]))) }
        open.append(OpenContainer())
        return nil
    }

    private mutating func beginObject() throws(JSONError) -> JSON? {
        try checkDepth()
        reader.advance()
        reader.skipWhitespace()
        if reader.skip(UInt8(ascii: "}")) { return JSON(.object(JSON.Members([]))) }
        open.append(OpenContainer(name: try memberName()))
        return nil
    }

    private func checkDepth() throws(JSONError) {
        guard open.count < Self.depthLimit else {
            throw reader.failure(expected: "at most \(Self.depthLimit) levels of nesting")
        }
    }

    /// Puts a value into the innermost container, which it gives back if that ends here.
    private mutating func add(_ value: JSON) throws(JSONError) -> JSON? {
        let last = open.count - 1
        reader.skipWhitespace()
        guard let name = open[last].name else {
            open[last].elements.append(value)
            if reader.skip(UInt8(ascii: ",")) { return nil }
            guard reader.skip(UInt8(ascii: "]")) else { throw reader.failure(expected: "',' or ']'") }
            return JSON(.array(JSON.Elements(open.removeLast().elements)))
        }
        open[last].members.append((key: name, value: value))
        if reader.skip(UInt8(ascii: ",")) {
            open[last].name = try memberName()
            return nil
        }
        guard reader.skip(UInt8(ascii: "}")) else { throw reader.failure(expected: "',' or '}'") }
        return JSON(.object(JSON.Members(open.removeLast().members)))
    }

    /// Reads a member's name and the colon after it.
    private mutating func memberName() throws(JSONError) -> String {
        reader.skipWhitespace()
        guard reader.current == UInt8(ascii: "\"") else {
            throw reader.failure(expected: "a member's name in double quotes")
        }
        let name = try reader.string()
        reader.skipWhitespace()
        guard reader.skip(UInt8(ascii: ":")) else { throw reader.failure(expected: "':'") }
        return name
    }
}
