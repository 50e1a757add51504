import Foundation

extension JSON {
    /// The options for encoding a value as JSON, with the names of `JSONEncoder`'s properties. `JSONEncoder` writes the
    /// same text, except that it changes the order of members. In a ``JSON`` value, it also omits repeated names and
    /// changes the spelling of numbers and slashes.
    ///
    /// If a type writes to two containers alternately, reads its `codingPath` or throws an error, `JSONEncoder` encodes
    /// the complete value again. Then `encode(to:)` runs twice, and the order of members is lost.
    public struct EncodingOptions: Sendable {
        /// The format of dates, by default ISO 8601 text in UTC, without fractions of a second (RFC 3339 §5.6).
        public var dateEncodingStrategy = JSONEncoder.DateEncodingStrategy.iso8601

        /// The format of `Data`, by default Base64.
        public var dataEncodingStrategy = JSONEncoder.DataEncodingStrategy.base64

        /// The conversion of coding keys to names, by default none. Keys of a `[String: T]` are never converted.
        public var keyEncodingStrategy = JSONEncoder.KeyEncodingStrategy.useDefaultKeys

        /// The strings for infinity and NaN. By default, encoding these numbers throws an error.
        public var nonConformingFloatEncodingStrategy = JSONEncoder.NonConformingFloatEncodingStrategy.throw

        /// The format of the text. By default, it is compact, and slashes are escaped, except in a ``JSON`` value.
        public var outputFormatting: JSONEncoder.OutputFormatting = []

        /// The values that `encode(to:)` finds in `Encoder.userInfo`. Empty by default.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// Creates options with the defaults of `JSONEncoder`, except that dates are ISO 8601 text.
        public init() {}

        package func data(of value: some Encodable) throws -> Data {
            try JSONEncodingSession.data(of: value, self) ?? encoder.encode(value)
        }

        init(_ encoder: JSONEncoder) {
            dateEncodingStrategy = encoder.dateEncodingStrategy
            dataEncodingStrategy = encoder.dataEncodingStrategy
            keyEncodingStrategy = encoder.keyEncodingStrategy
            nonConformingFloatEncodingStrategy = encoder.nonConformingFloatEncodingStrategy
            outputFormatting = encoder.outputFormatting
            userInfo = encoder.userInfo
        }

        package var encoder: JSONEncoder {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = dateEncodingStrategy
            encoder.dataEncodingStrategy = dataEncodingStrategy
            encoder.keyEncodingStrategy = keyEncodingStrategy
            encoder.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
            encoder.outputFormatting = outputFormatting
            encoder.userInfo = userInfo
            return encoder
        }
    }
}
