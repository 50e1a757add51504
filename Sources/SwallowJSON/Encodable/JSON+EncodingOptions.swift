import Foundation

extension JSON {
    /// How Swallow writes a value as JSON. The properties have the names that they have in `JSONEncoder`, and the text
    /// is the same, except that members keep their order. A ``JSON`` keeps its names and the spelling of its numbers.
    ///
    /// If a type does unusual things, such as writing to two containers in turn, reading its `codingPath` or throwing
    /// an error, `JSONEncoder` encodes the complete value again. Then `encode(to:)` runs twice, and the order is lost.
    public struct EncodingOptions: Sendable {
        /// The form of dates. By default, this is ISO 8601 text in UTC, without fractions of a second (RFC 3339 §5.6).
        public var dateEncodingStrategy = JSONEncoder.DateEncodingStrategy.iso8601

        /// The form of data, by default Base64.
        public var dataEncodingStrategy = JSONEncoder.DataEncodingStrategy.base64

        /// How a coding key becomes a member's name, by default unchanged. Keys of a `[String: T]` are never converted.
        public var keyEncodingStrategy = JSONEncoder.KeyEncodingStrategy.useDefaultKeys

        /// The strings for infinity and NaN. By default, there are none, and encoding these numbers fails.
        public var nonConformingFloatEncodingStrategy = JSONEncoder.NonConformingFloatEncodingStrategy.throw

        /// The format of the text. By default, it has no whitespace, and slashes are escaped.
        public var outputFormatting: JSONEncoder.OutputFormatting = []

        /// The content of `Encoder.userInfo`.
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
