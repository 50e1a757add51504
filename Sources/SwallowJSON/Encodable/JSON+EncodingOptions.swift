import Foundation

extension JSON {
    /// How Swallow writes a value as JSON. The properties have the names that they have in `JSONEncoder`, and the text
    /// is the same, except that members are in the order in which the type writes them.
    ///
    /// A ``JSON`` in the value keeps its names, its order and its spelling. Only sorting and indenting apply to it.
    ///
    /// A type that writes to two containers in turn, reads its `codingPath` or throws an error is encoded again by
    /// `JSONEncoder`. Its `encode(to:)` then runs twice.
    public struct EncodingOptions: Sendable {
        /// The form of dates. By default, this is ISO 8601 text in UTC, without fractions of a second (RFC 3339 §5.6).
        public var dateEncodingStrategy = JSONEncoder.DateEncodingStrategy.iso8601

        /// The form of data, by default Base64.
        public var dataEncodingStrategy = JSONEncoder.DataEncodingStrategy.base64

        /// How a coding key is converted to a member's name, by default not at all. The keys of a `[String: T]` are
        /// never converted.
        public var keyEncodingStrategy = JSONEncoder.KeyEncodingStrategy.useDefaultKeys

        /// The strings for infinity and NaN. By default, there are none, and encoding these numbers fails.
        public var nonConformingFloatEncodingStrategy = JSONEncoder.NonConformingFloatEncodingStrategy.throw

        /// The format of the text, by default as short as possible.
        public var outputFormatting: JSONEncoder.OutputFormatting = []

        /// The content of `Encoder.userInfo`.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// Creates the options of `JSONEncoder`, except that dates are ISO 8601 text.
        public init() {}

        /// Throws the error of `JSONEncoder` or of the type's `encode(to:)`.
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
