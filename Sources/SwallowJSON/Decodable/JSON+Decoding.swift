import Foundation

extension JSON {
    /// Decodes a `Decodable` directly from the document. ``missing`` counts as `null`, except for `JSON` and `JSON?`.
    ///
    /// Apart from the texts of errors, the result is the same as with `JSONDecoder` and the same options, unless
    /// `JSONDecoder` accepts text that RFC 8259 forbids, or loses or rejects a value of the document:
    ///
    /// | in the document                             | here                          | `JSONDecoder`              |
    /// |---------------------------------------------|-------------------------------|----------------------------|
    /// | `1e-400` as a floating-point number         | 0, the nearest                | an error                   |
    /// | `1.00000000000000000001` as an integer      | an error                      | 1                          |
    /// | an object with the same name twice          | the first, in `[String: T]` too | either, by platform      |
    /// | names that are only canonically equivalent  | the one with the same bytes   | either, by platform        |
    /// | a comma before a closing bracket            | an error                      | no error                   |
    /// | UTF-16 and UTF-32                           | an error (§8.1 requires UTF-8) | decoded                   |
    ///
    /// - Throws: `DecodingError`, or the error of an `init(from:)` or of a custom strategy.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, options: DecodingOptions = DecodingOptions()
    ) throws -> Value {
        if !exists, let missing = self as? Value { return missing }
        let value = exists ? self : .null
        let session = JSONDecodingSession(value.owner, root: value.position, options)
        return try session.value(type)
    }
}
