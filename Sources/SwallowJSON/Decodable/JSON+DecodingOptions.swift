import Foundation

extension JSON {
    /// How ``decode(_:options:)`` reads dates, data and other values that JSON has no type for. The properties are
    /// named as in `JSONDecoder`.
    public struct DecodingOptions: Sendable {
        /// How a `Date` is written: by default as ISO 8601 text (RFC 3339 §5.6), with fractions of a second or without, or, as
        /// `Date` itself writes it, a number: seconds since 2001.
        public var dateDecodingStrategy = JSONDecoder.DateDecodingStrategy.textOrNumber

        /// How `Data` is written: by default in Base64.
        public var dataDecodingStrategy = JSONDecoder.DataDecodingStrategy.base64

        /// How a member's name becomes a coding key: by default unchanged. The keys of a `[String: T]` never change.
        public var keyDecodingStrategy = JSONDecoder.KeyDecodingStrategy.useDefaultKeys

        /// Which strings are infinity and NaN to a `Double` or `Float`: by default none.
        public var nonConformingFloatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy.throw

        /// What `Decoder.userInfo` holds for the types that look there.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// The defaults: those of `JSONDecoder`, but for dates, which may also be ISO 8601 text.
        public init() {}
    }
}

extension JSON.DecodingOptions {
    /// What a service reads JSON by unless it is told otherwise: the defaults.
    package static let standard = JSON.DecodingOptions()
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
            let description = "\"\(text)\" isn't an ISO 8601 date"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: description)
        }
        return date
    }
}

// MARK: - The options in use

extension JSON.DecodingOptions {
    /// The options as an object, so that the task-local value is a single reference.
    package final class Shared: Sendable {
        package let options: JSON.DecodingOptions

        package init(_ options: JSON.DecodingOptions) {
            self.options = options
        }
    }

    @TaskLocal private static var shared: Shared?

    /// The options of ``reading(by:_:)`` inside its closure, else the standard ones.
    package static var current: JSON.DecodingOptions { shared?.options ?? .standard }

    /// Runs a closure with options as ``current``; nil leaves ``current`` as it is.
    package static func reading<Value>(by options: Shared?, _ read: () throws -> Value) rethrows -> Value {
        guard let options else { return try read() }
        return try $shared.withValue(options, operation: read)
    }
}
