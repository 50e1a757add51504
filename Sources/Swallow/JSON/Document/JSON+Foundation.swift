import Foundation

extension JSON {
    /// The value as `JSONSerialization` would give it: `[String: Any]`, `[Any]`, `String`, `NSNumber`, `NSNull`.
    ///
    /// Whole numbers that fit 64 bits are integers; others are a `Double`, or an `NSDecimalNumber` where a
    /// `Double` has too few digits. Where `JSONSerialization` refuses the number (`1e400`) this gives
    /// `NSNull`, and for ``missing`` too. Of a repeated name it holds the first, as everywhere in `JSON`.
    public var foundationObject: Any {
        read { tape, _ in tape.foundationObject(at: position) } ?? NSNull()
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
                if members.updateValue(foundationObject(at: place + 1), forKey: name) != nil {
                    members[name] = member(name, ofObjectAt: position).map { foundationObject(at: $0) }
                }
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
