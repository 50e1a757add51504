import Foundation

/// A writer of Swift values as JSON, the counterpart of ``Decoding``.
///
/// ```swift
/// let encoding: Encoding<User> = .codable { $0.dateEncodingStrategy = .iso8601 }
///
/// let encoding: Encoding<User> = .custom { user in ["user": ["name": .string(user.name)]] }
/// ```
public struct Encoding<Value>: Sendable {
    private let one: @Sendable (Value) throws -> Data
    private let many: @Sendable ([Value]) throws -> Data

    /// Returns an encoding that writes the JSON that a closure returns for each value.
    public static func custom(_ write: @escaping @Sendable (Value) throws -> JSON) -> Self {
        Self(
            one: { value in try write(value).written() },
            many: { values in try JSON.array(values.map(write)).written() })
    }

    /// Returns a JSON document that contains the value. Throws `EncodingError` if the value can't be written, or the
    /// error of the closure or of the `Encodable` type.
    public func data(of value: Value) throws -> Data {
        try one(value)
    }

    /// Returns a JSON document that contains an array of the values. Throws the same errors as for one value.
    public func data(of values: [Value]) throws -> Data {
        try many(values)
    }
}

extension Encoding where Value: Encodable & Sendable {
    /// An encoding of an `Encodable` type, with dates as ISO 8601 text.
    public static var codable: Self { codable(JSON.EncodingOptions()) }

    /// Returns an encoding of an `Encodable` type with these options.
    public static func codable(_ options: JSON.EncodingOptions) -> Self {
        Self(one: { value in try options.data(of: value) }, many: { values in try options.data(of: values) })
    }

    /// Returns an encoding of an `Encodable` type with the settings of a `JSONEncoder`, see ``JSON/EncodingOptions``.
    /// The closure sets up a new encoder for each document. The encoder's dates are ISO 8601 text by default.
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
