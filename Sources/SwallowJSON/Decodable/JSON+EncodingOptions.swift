import Foundation

extension JSON {
    /// How a value is written as JSON by the package, by the names that `JSONEncoder` gives it.
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

        /// A new encoder with these options.
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

extension JSON.DecodingOptions {
    /// What a service reads JSON by unless it is told otherwise: the defaults.
    public static let standard = JSON.DecodingOptions()
}

extension JSONDecoder.DateDecodingStrategy {
    /// ISO 8601 text (RFC 3339 §5.6), or a number as `Date` itself writes it.
    static let textOrNumber = JSONDecoder.DateDecodingStrategy.custom { decoder in
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            return Date(timeIntervalSinceReferenceDate: try container.decode(Double.self))
        }
        let hasFraction = text.utf8.contains(UInt8(ascii: "."))
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
        guard let date = try? style.parse(text) else {
            let description = "\"\(text)\" is no ISO 8601 date"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: description)
        }
        return date
    }
}

// MARK: - Handing them down

extension JSON.DecodingOptions {
    /// Options as an object, which a task's decoding reads by.
    package final class Shared: Sendable {
        package let options: JSON.DecodingOptions

        package init(_ options: JSON.DecodingOptions) {
            self.options = options
        }
    }

    @TaskLocal private static var shared: Shared?

    /// What is read by where no options are named: those of ``reading(by:_:)``, else the standard ones.
    package static var current: JSON.DecodingOptions { shared?.options ?? .standard }

    /// Has what a closure reads go by options where it names none; nil for the standard ones.
    package static func reading<Value>(by options: Shared?, _ read: () throws -> Value) rethrows -> Value {
        guard let options else { return try read() }
        return try $shared.withValue(options, operation: read)
    }
}
