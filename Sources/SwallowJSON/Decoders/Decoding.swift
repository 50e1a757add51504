import Foundation

/// A reader of Swift values from ``JSON``, which you compose from smaller ones.
///
/// ```swift
/// extension Decoding where Value == Athlete {
///     static var athlete: Self {
///         Decoding(
///             Athlete.init,
///             .required("name", .string),
///             .optional("image", .string),
///             .optional("score", .int, default: 0))
///     }
/// }
///
/// let athlete = try Decoding.athlete.value(from: data)
/// let athletes = try Decoding.array(.athlete).value(from: list)
/// ```
///
/// If the JSON doesn't match, the decoding throws a ``DecodingFailure`` such as
/// `$[3].sports[0]: expected string, found number`. A decoding is cheap to create, so it may be a computed property.
public struct Decoding<Value>: Sendable {
    // Functions that read members are inlinable. Otherwise, objects of 8 fields would take several times as long.

    @usableFromInline let expected: String
    @usableFromInline let read: @Sendable (JSON) throws(DecodingFailure) -> Value
    package let chain: (any AnyObject & Sendable)?

    @inlinable
    init(_ expected: String, read: @escaping @Sendable (JSON) throws(DecodingFailure) -> Value) {
        self.init(expected, chain: nil, read: read)
    }

    @usableFromInline
    package init(
        _ expected: String, chain: (any AnyObject & Sendable)?,
        read: @escaping @Sendable (JSON) throws(DecodingFailure) -> Value
    ) {
        self.expected = expected
        self.read = read
        self.chain = chain
    }
}

extension Decoding {
    /// Reads the value from parsed JSON.
    public func value(from json: JSON) throws(DecodingFailure) -> Value {
        try read(json)
    }

    /// Parses a JSON document as ``JSON/init(parsing:)-(Data)`` does, and reads the value from it.
    public func value(from data: Data) throws(DecodingFailure) -> Value {
        try read(parsed { () throws(JSONError) in try JSON(parsing: data) })
    }

    /// Parses the text of a JSON document, and reads the value from it.
    public func value(from text: String) throws(DecodingFailure) -> Value {
        try read(parsed { () throws(JSONError) in try JSON(parsing: text) })
    }

    /// Reads the value from ``JSON``, or an object of `JSONSerialization`'s types. A `String` as `Any` isn't parsed.
    public func value(from object: Any) throws(DecodingFailure) -> Value {
        guard let json = try? object as? JSON ?? JSON(foundationObject: object) else {
            throw DecodingFailure(expected: "an object that JSON can represent", found: "\(type(of: object))")
        }
        return try read(json)
    }

    private func parsed(_ parse: () throws(JSONError) -> JSON) throws(DecodingFailure) -> JSON {
        do throws(JSONError) {
            return try parse()
        } catch {
            throw DecodingFailure(.unparsable(error))
        }
    }
}
