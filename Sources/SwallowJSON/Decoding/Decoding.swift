import Foundation

/// Reads values from ``JSON``. A decoding is a value that consists of smaller decodings. A type may have several
/// decodings.
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
/// If the JSON doesn't match, a decoding throws a ``DecodingFailure`` with the path and both types, for example
/// `$[3].sports[0]: expected string, found number`. Creating a decoding takes about one allocation for each part, so it
/// may be a computed property.
public struct Decoding<Value>: Sendable {
    // The reading functions are inlinable, so that the compiler specializes them for the app's types. 1,000 objects of
    // 8 fields then take 0.47 ms instead of 4.0 ms. The difference is the time to find the metadata of types.

    @usableFromInline let expected: String
    /// The path of a failure starts at the JSON that is passed.
    @usableFromInline let read: @Sendable (JSON) throws(DecodingFailure) -> Value
    /// The fields of an incomplete chain of DecodePipeline, otherwise `nil`.
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
    /// Reads a value from JSON.
    public func value(from json: JSON) throws(DecodingFailure) -> Value {
        try read(json)
    }

    /// Parses a JSON document (RFC 8259, see ``JSON/init(parsing:)-(Data)``) and reads a value from it.
    public func value(from data: Data) throws(DecodingFailure) -> Value {
        try read(parsed { () throws(JSONError) in try JSON(parsing: data) })
    }

    /// Parses the text of a JSON document and reads a value from it.
    public func value(from text: String) throws(DecodingFailure) -> Value {
        try read(parsed { () throws(JSONError) in try JSON(parsing: text) })
    }

    /// Reads a value from ``JSON``, or from an object of the types of `JSONSerialization`, which are `[String: Any]`,
    /// `[Any]`, `String`, `NSNumber` and `NSNull`. A `String` is a JSON string and isn't parsed as a document.
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
