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

extension JSON {
    /// The options of ``decode(_:options:)``, with the names of `JSONDecoder`'s properties.
    public struct DecodingOptions: Sendable {
        /// The format of dates, by default ISO 8601 text (RFC 3339 §5.6) or seconds since January 1, 2001 (UTC).
        public var dateDecodingStrategy = JSONDecoder.DateDecodingStrategy.textOrNumber

        /// The format of `Data`, by default Base64.
        public var dataDecodingStrategy = JSONDecoder.DataDecodingStrategy.base64

        /// The conversion of names to coding keys, by default none. Keys of a `[String: T]` are never converted.
        public var keyDecodingStrategy = JSONDecoder.KeyDecodingStrategy.useDefaultKeys

        /// The strings that are decoded as infinity and NaN, by default none.
        public var nonConformingFloatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy.throw

        /// The values that `init(from:)` finds in `Decoder.userInfo`. Empty by default.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// Creates options with the defaults of `JSONDecoder`, except that dates may also be ISO 8601 text.
        public init() {}
    }
}

extension JSON.DecodingOptions {
    package static let standard = JSON.DecodingOptions()
}

extension JSONDecoder.DateDecodingStrategy {
    static let textOrNumber = JSONDecoder.DateDecodingStrategy.custom { decoder in
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            return Date(timeIntervalSinceReferenceDate: try container.decode(Double.self))
        }
        let hasFraction = text.utf8.contains(UInt8(ascii: "."))
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
        guard let date = try? style.parse(text) else {
            let description = "\"\(text)\" isn't an ISO 8601 date"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: description)
        }
        return date
    }
}

extension JSON.DecodingOptions {
    package final class Shared: Sendable {
        package let options: JSON.DecodingOptions

        package init(_ options: JSON.DecodingOptions) {
            self.options = options
        }
    }

    @TaskLocal private static var shared: Shared?

    package static var current: JSON.DecodingOptions { shared?.options ?? .standard }

    package static func reading<Value>(by options: Shared?, _ read: () throws -> Value) rethrows -> Value {
        guard let options else { return try read() }
        return try $shared.withValue(options, operation: read)
    }
}
