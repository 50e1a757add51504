import Foundation

extension JSON {
    /// Reads a value of any `Decodable` type, straight from the document. ``missing`` reads as `null`.
    ///
    /// It gives what `JSONDecoder` with the same options gives, errors and their paths included, but where that one takes
    /// what RFC 8259 doesn't allow or loses what the document says:
    ///
    /// | in the document                             | here                          | `JSONDecoder`              |
    /// |---------------------------------------------|-------------------------------|----------------------------|
    /// | `1e-400` as a floating-point number         | 0, the nearest                | an error                   |
    /// | `1.00000000000000000001` as an integer      | an error: it isn't one        | 1                          |
    /// | a name that an object gives twice           | the first, in `[String: T]` too | either, by platform      |
    /// | a comma before a closing bracket            | an error                      | nothing                    |
    /// | UTF-16 and UTF-32                           | an error (§8.1 wants UTF-8)   | read as what they are      |
    ///
    /// - Throws: `DecodingError`, or what the type's own `init(from:)` throws.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, options: DecodingOptions = DecodingOptions()
    ) throws -> Value {
        if !exists, let missing = self as? Value { return missing }
        let value = exists ? self : .null
        let reading = JSONReading(value.owner, root: value.position, options)
        return try reading.value(type)
    }

    /// How ``decode(_:options:)`` reads what JSON has no type for, by the names that `JSONDecoder` gives it.
    public struct DecodingOptions: Sendable {
        /// How a `Date` is written: by default as ISO 8601 text (RFC 3339 §5.6), with fractions of a second or without, or, as
        /// `Date` itself writes it, a number: seconds since 2001.
        public var dateDecodingStrategy = JSONDecoder.DateDecodingStrategy.textOrNumber

        /// How `Data` is written: by default in Base64.
        public var dataDecodingStrategy = JSONDecoder.DataDecodingStrategy.base64

        /// How a member's name becomes a coding key: by default unchanged. The keys of a `[String: T]` never change.
        public var keyDecodingStrategy = JSONDecoder.KeyDecodingStrategy.useDefaultKeys

        /// Which strings are infinity and NaN to a `Double` or `Float`: by default none.
        public var nonConformingFloatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy.throw

        /// What `Decoder.userInfo` holds for the types that look there.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// The defaults: those of `JSONDecoder`, but for dates, which may also be ISO 8601 text.
        public init() {}
    }
}
