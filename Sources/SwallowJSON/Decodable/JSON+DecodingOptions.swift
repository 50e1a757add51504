import Foundation

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
