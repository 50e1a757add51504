import Foundation

extension JSON {
    /// The options of ``decode(_:options:)``. The properties have the names that they have in `JSONDecoder`.
    public struct DecodingOptions: Sendable {
        /// The form of dates. By default, this is ISO 8601 text (RFC 3339 §5.6) with or without fractions of a second,
        /// or a number of seconds since 2001, as `Date` encodes itself.
        public var dateDecodingStrategy = JSONDecoder.DateDecodingStrategy.textOrNumber

        /// The form of data, by default Base64.
        public var dataDecodingStrategy = JSONDecoder.DataDecodingStrategy.base64

        /// How a member's name is converted to a coding key, by default not at all. The keys of a `[String: T]` are
        /// never converted.
        public var keyDecodingStrategy = JSONDecoder.KeyDecodingStrategy.useDefaultKeys

        /// The strings that a `Double` or `Float` decodes as infinity and NaN, by default none.
        public var nonConformingFloatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy.throw

        /// The content of `Decoder.userInfo`.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// Creates the options of `JSONDecoder`, except that dates may also be ISO 8601 text.
        public init() {}
    }
}

extension JSON.DecodingOptions {
    package static let standard = JSON.DecodingOptions()
}

extension JSONDecoder.DateDecodingStrategy {
    /// ISO 8601 text (RFC 3339 §5.6), or a number of seconds since 2001.
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

// MARK: - The current options

extension JSON.DecodingOptions {
    /// An object, so that the task-local value is one reference.
    package final class Shared: Sendable {
        package let options: JSON.DecodingOptions

        package init(_ options: JSON.DecodingOptions) {
            self.options = options
        }
    }

    @TaskLocal private static var shared: Shared?

    package static var current: JSON.DecodingOptions { shared?.options ?? .standard }

    /// If `options` is `nil`, ``current`` stays unchanged.
    package static func reading<Value>(by options: Shared?, _ read: () throws -> Value) rethrows -> Value {
        guard let options else { return try read() }
        return try $shared.withValue(options, operation: read)
    }
}
