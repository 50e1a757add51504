import Foundation

extension JSON {
    /// The JSON of an object of the kinds that `JSONSerialization` gives and takes: `[String: Any]`, `[Any]`, `String`,
    /// `NSNumber`, `NSNull`; or that holds `JSON`. Any of them may stand at the top. The members of a dictionary come in
    /// the order of their names.
    ///
    /// - Throws: `EncodingError.invalidValue` with the path to a value that JSON can't hold, or to one that is nested
    ///   too deep (512 levels, as in ``init(parsing:)-(Data)``).
    public init(foundationObject object: Any) throws {
        var builder = JSONBuilder()
        try builder.append(foundationObject: object, at: [])
        self = builder.json
    }

    /// The value as `JSONSerialization` would give it: `[String: Any]`, `[Any]`, `String`, `NSNumber`, `NSNull`.
    ///
    /// Whole numbers that fit 64 bits are integers; others are a `Double`, or an `NSDecimalNumber` where a
    /// `Double` has too few digits. Where `JSONSerialization` refuses the number (`1e400`) this gives
    /// `NSNull`, and for ``missing`` too. Of a repeated name it holds the first, as everywhere in `JSON`.
    public var foundationObject: Any {
        read { tape, _ in tape.foundationObject(at: position) } ?? NSNull()
    }
}

extension JSONBuilder {
    fileprivate mutating func append(foundationObject object: Any, at path: [any CodingKey]) throws {
        switch object {
        case let json as JSON: append(json)
        case let text as String: append(text)
        case is NSNull: append(JSON.null)
        case let elements as [Any]:
            try append(.array, count: elements.count) { builder in
                for (index, element) in elements.enumerated() {
                    try builder.append(foundationObject: element, at: path + [JSONKey(index: index)])
                }
            }
        case let members as [String: Any]:
            try append(.object, count: members.count) { builder in
                for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                    builder.append(name)
                    try builder.append(foundationObject: value, at: path + [JSONKey(stringValue: name)])
                }
            }
        default:
            // In an array, because the top of what JSONSerialization takes has to be a container.
            guard JSONSerialization.isValidJSONObject([object]),
                let data = try? JSONSerialization.data(withJSONObject: [object]),
                let json = try? JSON(parsing: data)
            else {
                fail("JSON can't represent a value of type \(type(of: object))")
                break
            }
            append(json[0])
        }
        if let fault {
            // Names the type only: printing a value that is nested too deep may overflow the stack.
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
        case .array:
            var elements: [Any] = []
            elements.reserveCapacity(word.length)
            var place = position + 1
            while place < word.offset {
                elements.append(foundationObject(at: place))
                place = end(of: place)
            }
            return elements
        case .object:
            var members: [String: Any] = Dictionary(minimumCapacity: word.length)
            var place = position + 1
            while place < word.offset {
                let name = string(self.word(at: place))
                if members[name] == nil { members[name] = foundationObject(at: place + 1) }
                place = end(of: place + 1)
            }
            return members
        }
    }

    private func foundationNumber(_ word: JSONWord) -> NSObject? {
        let text = text(of: word)
        if word.kind == .integer {
            if let integer = JSONInteger.exact(text, as: Int64.self) { return NSNumber(value: integer) }
            if let integer = JSONInteger.exact(text, as: UInt64.self) { return NSNumber(value: integer) }
        }
        // As JSONSerialization counts: up to the exponent, sign and point included.
        let length = text.prefix { $0 | 0x20 != UInt8(ascii: "e") }.count
        if length > 17, let decimal = JSONNumber.decimal(text) {
            return NSDecimalNumber(decimal: decimal)
        }
        return JSONDouble.nearest(text).map { NSNumber(value: $0) }
    }
}
