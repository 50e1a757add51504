import Foundation
import SwallowJSON

// MARK: - Values

/// A string. See `Decoding.string`.
@inlinable
public var string: Decoding<String> { .string }

/// A whole number that fits in an `Int`. See `Decoding.int`.
@inlinable
public var int: Decoding<Int> { .int }

/// A number, as the nearest `Double`. See `Decoding.double`.
@inlinable
public var double: Decoding<Double> { .double }

/// `true` or `false`. See `Decoding.bool`.
@inlinable
public var bool: Decoding<Bool> { .bool }

// MARK: - Fields

/// A required member. See `Field.required`.
@inlinable
public func required<Value>(_ name: String, _ value: Decoding<Value>) -> Field<Value> {
    .required(name, value)
}

/// The value at a path of required members. See `Field.required`.
@inlinable
public func required<Value>(at path: [String], _ value: Decoding<Value>) -> Field<Value> {
    .required(at: path, value)
}

/// An optional member, which is `nil` if it is missing or `null`. See `Field.optional`.
@inlinable
public func optional<Value>(_ name: String, _ value: Decoding<Value>) -> Field<Value?> {
    .optional(name, value)
}

/// An optional member, with a default if it is missing or `null`. See `Field.optional`.
@inlinable
public func optional<Value: Sendable>(
    _ name: String, _ value: Decoding<Value>, default fallback: Value
) -> Field<Value> {
    .optional(name, value, default: fallback)
}

/// `optional(_:_:default:)` in the spelling of SwiftDecodePipeline.
@inlinable
public func optional<Value: Sendable>(
    _ name: String, _ value: Decoding<Value>, _ fallback: Value
) -> Field<Value> {
    .optional(name, value, default: fallback)
}

/// A value that isn't read from the JSON.
@inlinable
public func hardcoded<Value: Sendable>(_ value: Value) -> Field<Value> {
    .hardcoded(value)
}

/// The type of `[]` and `[:]` in `hardcoded([])` and `hardcoded([:])`, until `|>` knows the parameter's type.
public struct EmptyLiteral: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, Sendable {
    /// Creates an empty array. There can't be elements.
    @inlinable
    public init(arrayLiteral elements: Never...) {}

    /// Creates an empty dictionary. There can't be members.
    @inlinable
    public init(dictionaryLiteral members: (Never, Never)...) {}
}

/// A collection that `hardcoded([])` or `hardcoded([:])` can create.
public protocol EmptyLiteralConvertible {
    /// Creates an empty collection.
    init()
}

extension Array: EmptyLiteralConvertible {}
extension Set: EmptyLiteralConvertible {}
extension Dictionary: EmptyLiteralConvertible {}

// Disfavored, because otherwise the type checker takes 10 s instead of 1 s if another field is wrong.

/// An empty array, set or dictionary of the parameter's type, which isn't read from the JSON.
@_disfavoredOverload
@inlinable
public func hardcoded<Value: EmptyLiteralConvertible & Sendable>(_ empty: EmptyLiteral) -> Field<Value> {
    .hardcoded(Value())
}

// MARK: - Decodings

/// A decoding of arrays, for example `user |> array`. See `Decoding.array`.
@inlinable
public func array<Element>(_ element: Decoding<Element>) -> Decoding<[Element]> {
    .array(element)
}

/// `Decoding.map` for a pipe, for example `string |> map { $0.lowercased() }`.
@inlinable
public func map<Value, Result>(
    _ transform: @escaping @Sendable (Value) throws -> Result
) -> (Decoding<Value>) -> Decoding<Result> {
    { $0.map(transform) }
}

/// `Decoding.andThen` for a pipe.
@inlinable
public func andThen<Value, Result>(
    _ next: @escaping @Sendable (Value) throws -> Decoding<Result>
) -> (Decoding<Value>) -> Decoding<Result> {
    { $0.andThen(next) }
}

// Inside an extension of `Decoding`, its members hide global functions of the same name. So `.string` needs its dot
// there, and these functions replace the global `map` and `andThen`.
extension Decoding {
    /// `map` for a pipe inside an extension of `Decoding`, for example `string |> map { $0.lowercased() }`.
    public static func map<Input, Result>(
        _ transform: @escaping @Sendable (Input) throws -> Result
    ) -> (Decoding<Input>) -> Decoding<Result> {
        { $0.map(transform) }
    }

    /// `andThen` for a pipe inside an extension of `Decoding`.
    public static func andThen<Input, Result>(
        _ next: @escaping @Sendable (Input) throws -> Decoding<Result>
    ) -> (Decoding<Input>) -> Decoding<Result> {
        { $0.andThen(next) }
    }
}

// MARK: - Reading

/// Parses a JSON document (RFC 8259) and reads a value from it. See `value(from:)`.
public func decodeJSON<Value>(_ data: Data, with decoding: Decoding<Value>) throws(DecodingFailure) -> Value {
    try decoding.value(from: data)
}

/// Parses the text of a JSON document and reads a value from it. See `value(from:)`.
public func decodeJSON<Value>(_ text: String, with decoding: Decoding<Value>) throws(DecodingFailure) -> Value
{
    try decoding.value(from: text)
}

extension Decoding {
    /// Reads a value from JSON, for example `try user(json)`. See `value(from:)`.
    public func callAsFunction(_ json: JSON) throws(DecodingFailure) -> Value {
        try value(from: json)
    }

    /// Parses a JSON document and reads a value from it. See `value(from:)`.
    public func callAsFunction(_ data: Data) throws(DecodingFailure) -> Value {
        try value(from: data)
    }

    /// Parses the text of a JSON document and reads a value from it. See `value(from:)`.
    public func callAsFunction(_ text: String) throws(DecodingFailure) -> Value {
        try value(from: text)
    }
}
