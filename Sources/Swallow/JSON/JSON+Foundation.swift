import Foundation

extension JSON {
    /// The value as `JSONSerialization` would give it: `[String: Any]`, `[Any]`, `String`, `NSNumber`, `NSNull`.
    ///
    /// Whole numbers that fit 64 bits are integers; others are a `Double`, or an `NSDecimalNumber` where a
    /// `Double` has too few digits. Where `JSONSerialization` refuses the number (`1e400`) this gives
    /// `NSNull`, and for ``missing`` too. Of a repeated name it holds the first, as everywhere in `JSON`.
    public var foundationObject: Any {
        switch content {
        case .missing, .null: NSNull()
        case .bool(let bool): NSNumber(value: bool)
        case .number(let text): foundationNumber(text) ?? NSNull()
        case .string(let string): string
        case .array(let elements): elements.map { $0.foundationObject }
        case .object: (object ?? [:]).mapValues { $0.foundationObject }
        }
    }

    private func foundationNumber(_ text: String) -> NSObject? {
        if let integer = Int64(text) { return NSNumber(value: integer) }
        if let integer = UInt64(text) { return NSNumber(value: integer) }
        // As JSONSerialization counts: up to the exponent, sign and point included.
        let length = text.prefix { $0 != "e" && $0 != "E" }.utf8.count
        if length > 17, let decimal { return NSDecimalNumber(decimal: decimal) }
        return double.map { NSNumber(value: $0) }
    }
}
