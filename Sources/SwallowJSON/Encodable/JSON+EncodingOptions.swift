import Foundation

extension JSON {
    /// How the package writes a value as JSON. The properties are named as in `JSONEncoder`, and the text is what it writes.
    ///
    /// Most values are written straight to the text. What that can't follow is left to a `JSONEncoder`, from the beginning:
    /// key strategies, sorted or indented output, types that write to two containers in turn or look at `codingPath`, and every
    /// error. So a type's `encode(to:)` may run twice. A ``JSON`` among the values keeps its order and its spelling.
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

        /// The value as a JSON document.
        ///
        /// - Throws: What `JSONEncoder` throws, or the type's own `encode(to:)`.
        package func data(of value: some Encodable) throws -> Data {
            try JSONWriting.data(of: value, self) ?? encoder.encode(value)
        }

        /// Whether a text that only grows can follow them.
        var isPlain: Bool {
            guard case .useDefaultKeys = keyEncodingStrategy else { return false }
            return outputFormatting.subtracting(.withoutEscapingSlashes).isEmpty
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
