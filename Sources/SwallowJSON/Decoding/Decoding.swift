import Foundation

/// How to read a value from ``JSON``. A decoding is itself a plain value, made of smaller decodings. It isn't tied to
/// the type that it reads, so one type may have many.
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
/// Where the JSON doesn't fit, it throws a ``DecodingFailure`` that names the place and both types:
/// `$[3].sports[0]: expected string, found number`. Making a decoding costs about one allocation for each part, so
/// it may be a computed property.
public struct Decoding<Value>: Sendable {
    // The functions that read are inlinable, so that they are compiled for the app's own types: 1000 records of 8
    // fields take 0.47 ms that way. Otherwise they take 4.0 ms, most of it spent on finding the types' metadata.

    /// What the JSON should be, in words, for the error if it is something else.
    @usableFromInline let expected: String
    /// Reads a value; throws with the path from the JSON it was given.
    @usableFromInline let read: @Sendable (JSON) throws(DecodingFailure) -> Value
    /// What a chain of the module DecodePipeline has gathered so far; nil in every decoding that can read.
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

    /// Reads a value from an object of the kinds that `JSONSerialization` gives and takes: `[String: Any]`, `[Any]`,
    /// `String`, `NSNumber`, `NSNull`; or from ``JSON``. A `String` here is a JSON string, not a document to parse.
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
