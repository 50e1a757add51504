import Foundation

extension JSON {
    /// Reads a value of any `Decodable` type, straight from the document. ``missing`` reads as `null`.
    ///
    /// The result is that of `JSONDecoder` with the same options, errors and their paths included. It differs where
    /// `JSONDecoder` accepts what RFC 8259 forbids, or loses or refuses what the document says:
    ///
    /// | in the document                             | here                          | `JSONDecoder`              |
    /// |---------------------------------------------|-------------------------------|----------------------------|
    /// | `1e-400` as a floating-point number         | 0, the nearest                | an error                   |
    /// | `1.00000000000000000001` as an integer      | an error: it isn't one        | 1                          |
    /// | a name that an object gives twice           | the first, in `[String: T]` too | either, by platform      |
    /// | a comma before a closing bracket            | an error                      | no error                   |
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
}
