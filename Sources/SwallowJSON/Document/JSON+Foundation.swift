import Foundation

extension JSON {
    /// Creates JSON from an object of `JSONSerialization`'s types, or from `JSON`. A dictionary's names are sorted.
    ///
    /// - Throws: `EncodingError.invalidValue` with the path to a value that isn't JSON or exceeds 512 levels. If a text or
    ///   a number has 256 MiB or more, the path is empty.
    public init(foundationObject object: Any) throws {
        self = try JSON.build { try $0.write(foundationObject: object, at: []) }
        // Only the parser notices, for example, that a string is too long.
        try checkFault(at: [])
    }

    /// The value as an object of the types that `JSONSerialization` uses. Numbers without fraction and exponent are
    /// integers if they fit in 64 bits. Others are `NSDecimalNumber` if they have more than 17 characters before the
    /// exponent and `Decimal` can represent them, and `Double` otherwise. ``missing`` and numbers such as `1e400` are
    /// `NSNull`. The first of repeated names counts.
    public var foundationObject: Any {
        read { tape, _ in tape.foundationObject(at: position) } ?? NSNull()
    }
}

extension JSONWriter {
    fileprivate mutating func write(foundationObject object: Any, at path: [any CodingKey]) throws {
        switch object {
        case let json as JSON: write(json)
        case let text as String: write(text)
        case is NSNull: write(JSON.null)
        case let elements as [Any]:
            try writeArray(of: elements.enumerated()) { writer, element in
                let key = JSONKey(index: element.offset)
                try writer.write(foundationObject: element.element, at: path + [key])
            }
        case let members as [String: Any]:
            try writeObject(of: members.sorted { $0.key < $1.key }) { writer, member in
                writer.write(member.key)
                writer.writeColon()
                let key = JSONKey(stringValue: member.key)
                try writer.write(foundationObject: member.value, at: path + [key])
            }
        default:
            guard JSONSerialization.isValidJSONObject([object]),
                let data = try? JSONSerialization.data(withJSONObject: [object]),
                let json = try? JSON(parsing: data)
            else {
                fail("JSON can't represent a value of type \(type(of: object))")
                break
            }
            write(json[0])
        }
        if let fault {
            // The error contains only the type, because printing a deeply nested value might overflow the stack.
            throw EncodingError.invalidValue(
                type(of: object), .init(codingPath: path, debugDescription: fault))
        }
    }
}

extension JSONTape {
    fileprivate func foundationObject(at position: Int) -> Any {
        let word = word(at: position)
        switch word.kind {
        case .null: return NSNull()
        case .true: return NSNumber(value: true)
        case .false: return NSNumber(value: false)
        case .integer, .fraction: return foundationNumber(word) ?? NSNull()
        case .ascii, .text, .escaped: return string(word)
        case .array: return foundationArray(at: position)
        case .object: return foundationDictionary(at: position)
        }
    }

    // `map` would need several times as much stack for each level in a debug build.

    private func foundationArray(at position: Int) -> [Any] {
        var elements: [Any] = []
        elements.reserveCapacity(word(at: position).length)
        for place in parts(ofContainerAt: position) { elements.append(foundationObject(at: place)) }
        return elements
    }

    private func foundationDictionary(at position: Int) -> [String: Any] {
        var members: [String: Any] = Dictionary(minimumCapacity: word(at: position).length)
        for place in parts(ofContainerAt: position) {
            let name = string(word(at: place))
            if members[name] == nil { members[name] = foundationObject(at: place + 1) }
        }
        return members
    }

    private func foundationNumber(_ word: JSONWord) -> NSObject? {
        let text = text(of: word)
        if word.kind == .integer {
            if let integer = JSONInteger.exact(text, as: Int64.self) { return NSNumber(value: integer) }
            if let integer = JSONInteger.exact(text, as: UInt64.self) { return NSNumber(value: integer) }
        }
        // As in JSONSerialization, the sign and the decimal point count as characters.
        let length = text.prefix { $0 | 0x20 != UInt8(ascii: "e") }.count
        if length > 17, let decimal = JSONNumber.decimal(text) {
            return NSDecimalNumber(decimal: decimal)
        }
        return JSONDouble.nearest(text).map { NSNumber(value: $0) }
    }
}
