import Foundation

/// Writes values as JSON. This is the counterpart of ``Decoding``.
///
/// ```swift
/// let encoding: Encoding<User> = .codable { $0.dateEncodingStrategy = .iso8601 }
///
/// let encoding: Encoding<User> = .custom { user in ["user": ["name": .string(user.name)]] }
/// ```
public struct Encoding<Value>: Sendable {
    private let one: @Sendable (Value) throws -> Data
    private let many: @Sendable ([Value]) throws -> Data

    /// Writes the JSON that a closure returns for a value. A list is written as an array.
    public static func custom(_ write: @escaping @Sendable (Value) throws -> JSON) -> Self {
        Self(
            one: { value in try write(value).written() },
            many: { values in try JSON.array(values.map(write)).written() })
    }

    /// Returns the value as a JSON document.
    public func data(of value: Value) throws -> Data {
        try one(value)
    }

    /// Returns the values as a JSON document with an array.
    public func data(of values: [Value]) throws -> Data {
        try many(values)
    }
}

extension Encoding where Value: Encodable & Sendable {
    /// Writes an `Encodable` type, with dates as ISO 8601 text.
    public static var codable: Self { codable(JSON.EncodingOptions()) }

    /// Writes an `Encodable` type with options. Some types' `encode(to:)` runs twice for a document, see
    /// ``JSON/EncodingOptions``.
    public static func codable(_ options: JSON.EncodingOptions) -> Self {
        Self(one: { value in try options.data(of: value) }, many: { values in try options.data(of: values) })
    }

    /// Writes an `Encodable` type with the settings of a `JSONEncoder`, which a closure sets up for each document.
    /// Dates are written as ISO 8601 text unless the closure changes that. ``JSON/EncodingOptions`` describes the
    /// differences from `JSONEncoder`.
    public static func codable(_ configure: @escaping @Sendable (JSONEncoder) -> Void) -> Self {
        let options: @Sendable () -> JSON.EncodingOptions = {
            let encoder = JSON.EncodingOptions().encoder
            configure(encoder)
            return JSON.EncodingOptions(encoder)
        }
        return Self(
            one: { value in try options().data(of: value) },
            many: { values in try options().data(of: values) })
    }
}
