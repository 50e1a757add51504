import Foundation
import SwallowJSON

/// A decoding of a string. Numbers and Booleans aren't converted.
@inlinable
public var string: Decoding<String> { .string }

/// A decoding of a whole number that fits in an `Int`, such as `1`, `1.0` and `1e2`.
@inlinable
public var int: Decoding<Int> { .int }

/// A decoding of a number as the nearest `Double`. It fails beyond the range of `Double`.
@inlinable
public var double: Decoding<Double> { .double }

/// A decoding of `true` or `false`. Numbers and strings aren't converted.
@inlinable
public var bool: Decoding<Bool> { .bool }

/// A required member of the object. A `null` isn't missing, so `value` reads it.
@inlinable
public func required<Value>(_ name: String, _ value: Decoding<Value>) -> Field<Value> {
    .required(name, value)
}

/// The member at a path of nested objects. All members of the path are required.
@inlinable
public func required<Value>(at path: [String], _ value: Decoding<Value>) -> Field<Value> {
    .required(at: path, value)
}

/// An optional member, which is `nil` if it is missing or `null`. If `value` can't read it, the decoding fails.
@inlinable
public func optional<Value>(_ name: String, _ value: Decoding<Value>) -> Field<Value?> {
    .optional(name, value)
}

/// An optional member, with a default if it is missing or `null`. If `value` can't read it, the decoding fails.
@inlinable
public func optional<Value: Sendable>(
    _ name: String, _ value: Decoding<Value>, default fallback: Value
) -> Field<Value> {
    .optional(name, value, default: fallback)
}

/// An optional member with a default, like `optional(_:_:default:)` but without its label, as in SwiftDecodePipeline.
@inlinable
public func optional<Value: Sendable>(
    _ name: String, _ value: Decoding<Value>, _ fallback: Value
) -> Field<Value> {
    .optional(name, value, default: fallback)
}

/// A field with a constant value, which isn't read from the JSON.
@inlinable
public func hardcoded<Value: Sendable>(_ value: Value) -> Field<Value> {
    .hardcoded(value)
}

/// The value of a literal `[]` or `[:]`.
public struct EmptyLiteral: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, Sendable {
    /// Creates the value of the literal `[]`, which can't have elements.
    @inlinable
    public init(arrayLiteral elements: Never...) {}

    /// Creates the value of the literal `[:]`, which can't have members.
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

// The next function is disfavored. Otherwise, the type checker usually takes longer to report a wrong field.

/// A field with an empty collection. The compiler infers its type.
@_disfavoredOverload
@inlinable
public func hardcoded<Value: EmptyLiteralConvertible & Sendable>(_ empty: EmptyLiteral) -> Field<Value> {
    .hardcoded(Value())
}

/// A decoding of an array, whose elements are read with `element`, for example `user |> array`.
@inlinable
public func array<Element>(_ element: Decoding<Element>) -> Decoding<[Element]> {
    .array(element)
}

/// Returns a function for the right side of `|>` that converts the decoded value, as in `string |> map { $0.count }`.
@inlinable
public func map<Value, Result>(
    _ transform: @escaping @Sendable (Value) throws -> Result
) -> (Decoding<Value>) -> Decoding<Result> {
    { $0.map(transform) }
}

/// Returns a function for the right side of `|>`. The new decoding reads the same JSON again, with `next`'s result.
@inlinable
public func andThen<Value, Result>(
    _ next: @escaping @Sendable (Value) throws -> Decoding<Result>
) -> (Decoding<Value>) -> Decoding<Result> {
    { $0.andThen(next) }
}

// Inside an extension of `Decoding`, its methods hide the global functions `map` and `andThen`.
extension Decoding {
    /// Replaces the global `map` in static members of `Decoding`, for example in `string |> map { $0.lowercased() }`.
    public static func map<Input, Result>(
        _ transform: @escaping @Sendable (Input) throws -> Result
    ) -> (Decoding<Input>) -> Decoding<Result> {
        { $0.map(transform) }
    }

    /// Replaces the global `andThen` in static members of `Decoding`.
    public static func andThen<Input, Result>(
        _ next: @escaping @Sendable (Input) throws -> Decoding<Result>
    ) -> (Decoding<Input>) -> Decoding<Result> {
        { $0.andThen(next) }
    }
}

/// Parses a JSON document (RFC 8259), and reads a value from it with a decoding.
public func decodeJSON<Value>(_ data: Data, with decoding: Decoding<Value>) throws(DecodingFailure) -> Value {
    try decoding.value(from: data)
}

/// Parses the text of a JSON document, and reads a value from it.
public func decodeJSON<Value>(_ text: String, with decoding: Decoding<Value>) throws(DecodingFailure) -> Value
{
    try decoding.value(from: text)
}

extension Decoding {
    /// Reads the value from parsed JSON, for example `try user(json)`.
    public func callAsFunction(_ json: JSON) throws(DecodingFailure) -> Value {
        try value(from: json)
    }

    /// Parses a JSON document, and reads the value from it.
    public func callAsFunction(_ data: Data) throws(DecodingFailure) -> Value {
        try value(from: data)
    }

    /// Parses the text of a JSON document, and reads a value from it.
    public func callAsFunction(_ text: String) throws(DecodingFailure) -> Value {
        try value(from: text)
    }
}
