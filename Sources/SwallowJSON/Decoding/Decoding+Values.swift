import Foundation

extension Decoding where Value == String {
    /// A string.
    public static var string: Self {
        Self("string") { json throws(DecodingFailure) in
            guard let value = json.string else { throw DecodingFailure(expected: "string", found: json) }
            return value
        }
    }
}

extension Decoding where Value == Bool {
    /// `true` or `false`.
    public static var bool: Self {
        Self("boolean") { json throws(DecodingFailure) in
            guard let value = json.bool else { throw DecodingFailure(expected: "boolean", found: json) }
            return value
        }
    }
}

extension Decoding where Value == Int {
    /// A whole number that fits `Int`: `1`, `1.0` and `1e2`, but not `1.5`. See ``JSON/int``.
    public static var int: Self {
        Self("integer") { json throws(DecodingFailure) in
            guard let value = json.int else {
                throw DecodingFailure(number: "integer", of: Int.self, found: json)
            }
            return value
        }
    }
}

extension Decoding where Value == Double {
    /// A number, as the `Double` nearest to it. See ``JSON/double``.
    public static var double: Self {
        Self("number") { json throws(DecodingFailure) in
            guard let value = json.double else {
                throw DecodingFailure(number: "number", of: Double.self, found: json)
            }
            return value
        }
    }
}

extension Decoding where Value == Decimal {
    /// A number as a `Decimal`, its 38 digits kept. See ``JSON/decimal``.
    public static var decimal: Self {
        Self("number") { json throws(DecodingFailure) in
            guard let value = json.decimal else {
                throw DecodingFailure(number: "number", of: Decimal.self, found: json)
            }
            return value
        }
    }
}

extension Decoding where Value == JSON {
    /// Whatever is there, `null` included.
    public static var json: Self {
        Self("value") { json throws(DecodingFailure) in json }
    }
}

extension Decoding {
    /// The value that a closure makes of the JSON. An error that it throws becomes the failure at this place.
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
    /// The failure of a number's decoding: there is no number, it has a fraction, or it is out of the type's range.
    fileprivate init(number expected: String, of type: Any.Type, found json: JSON) {
        guard let text = json.numberText else {
            self.init(expected: expected, found: json)
            return
        }
        let isFraction = expected == "integer" && !JSONNumber(text).isWhole
        self.init(
            expected: isFraction ? expected : "\(expected) within \(type)'s range", found: "number \(text)")
    }
}
