import Foundation

extension JSON {
    /// How Swallow writes a value as JSON. The properties have the names that they have in `JSONEncoder`, and the text is the
    /// same, except that members are in the order in which the type writes them.
    ///
    /// A ``JSON`` in the value keeps its names, its order and its spelling. Only sorting and indenting apply to it.
    ///
    /// A type that writes to two containers in turn, reads its `codingPath` or throws an error is encoded again by
    /// `JSONEncoder`. Its `encode(to:)` then runs twice.
    public struct EncodingOptions: Sendable {
        /// How a `Date` is written: by default in ISO 8601, in UTC, to the second (RFC 3339 §5.6).
        public var dateEncodingStrategy = JSONEncoder.DateEncodingStrategy.iso8601

        /// How `Data` is written: by default in Base64.
        public var dataEncodingStrategy = JSONEncoder.DataEncodingStrategy.base64

        /// How a coding key becomes a member's name: by default unchanged.
        public var keyEncodingStrategy = JSONEncoder.KeyEncodingStrategy.useDefaultKeys

        /// How infinity and NaN are written: by default not at all, they are errors.
        public var nonConformingFloatEncodingStrategy = JSONEncoder.NonConformingFloatEncodingStrategy.throw

        /// How the text looks; as short as it can be by default.
        public var outputFormatting: JSONEncoder.OutputFormatting = []

        /// What `Encoder.userInfo` holds for the types that look there.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// The defaults: those of `JSONEncoder` but for dates, which are written in ISO 8601.
        public init() {}

        /// Returns the value as a JSON document.
        ///
        /// - Throws: The error of `JSONEncoder` or of the type's `encode(to:)`.
        package func data(of value: some Encodable) throws -> Data {
            try JSONWriting.data(of: value, self) ?? encoder.encode(value)
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
