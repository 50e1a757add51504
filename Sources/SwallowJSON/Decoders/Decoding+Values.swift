import Foundation

extension Decoding where Value == String {
    /// A decoding of a string. Numbers and Booleans aren't converted.
    public static var string: Self {
        Self("string") { json throws(DecodingFailure) in try required(json.string, "string", json) }
    }
}

extension Decoding where Value == Bool {
    /// A decoding of `true` or `false`. Numbers and strings aren't converted.
    public static var bool: Self {
        Self("boolean") { json throws(DecodingFailure) in try required(json.bool, "boolean", json) }
    }
}

extension Decoding where Value == Int {
    /// A decoding of a whole number that fits in an `Int`, such as `1`, `1.0` and `1e2`.
    public static var int: Self {
        Self("integer") { json throws(DecodingFailure) in try required(json.int, "integer", json) }
    }
}

extension Decoding where Value == Double {
    /// A decoding of a number as the nearest `Double`. It fails beyond the range of `Double`.
    public static var double: Self {
        Self("number") { json throws(DecodingFailure) in try required(json.double, "number", json) }
    }
}

extension Decoding where Value == Decimal {
    /// A decoding of a number as a `Decimal`, with the precision of ``JSON/decimal``.
    public static var decimal: Self {
        Self("number") { json throws(DecodingFailure) in try required(json.decimal, "number", json) }
    }
}

extension Decoding {
    @inline(__always)
    private static func required(
        _ value: Value?, _ expected: String, _ json: JSON
    ) throws(DecodingFailure) -> Value {
        if let value { return value }
        throw DecodingFailure(expected: expected, as: Value.self, found: json)
    }
}

extension Decoding where Value == JSON {
    /// A decoding that returns any value unchanged, including `null`.
    public static var json: Self {
        Self("value") { json throws(DecodingFailure) in json }
    }
}

extension Decoding {
    /// A decoding that calls a closure with the JSON. If the closure throws, the decoding fails.
    public static func custom(_ read: @escaping @Sendable (JSON) throws -> Value) -> Self {
        Self("value") { json throws(DecodingFailure) in
            do {
                return try read(json)
            } catch {
                throw DecodingFailure(thrown: error)
            }
        }
    }
}

extension DecodingFailure {
    fileprivate init(expected: String, as type: Any.Type, found json: JSON) {
        guard expected == "integer" || expected == "number", let text = json.numberText else {
            self.init(expected: expected, found: json)
            return
        }
        let isFraction = expected == "integer" && !JSONNumber(text).isWhole
        self.init(
            expected: isFraction ? expected : "\(expected) within \(type)'s range", found: "number \(text)")
    }
}
