import Foundation
import SwallowJSON

// MARK: - Values

/// A string. The same as `Decoding.string`.
@inlinable
public var string: Decoding<String> { .string }

/// A number that is a whole one and fits `Int`. The same as `Decoding.int`.
@inlinable
public var int: Decoding<Int> { .int }

/// A number, as the `Double` nearest to it. The same as `Decoding.double`.
@inlinable
public var double: Decoding<Double> { .double }

/// `true` or `false`. The same as `Decoding.bool`.
@inlinable
public var bool: Decoding<Bool> { .bool }

// MARK: - Fields

/// The member of that name, which must be there. The same as `Field.required`.
@inlinable
public func required<Value>(_ name: String, _ value: Decoding<Value>) -> Field<Value> {
    .required(name, value)
}

/// The value at the end of a path of members, all of which must be there. The same as `Field.required`.
@inlinable
public func required<Value>(at path: [String], _ value: Decoding<Value>) -> Field<Value> {
    .required(at: path, value)
}

/// The member of that name; nil where it is missing or `null`. The same as `Field.optional`.
@inlinable
public func optional<Value>(_ name: String, _ value: Decoding<Value>) -> Field<Value?> {
    .optional(name, value)
}

/// The member of that name; the default where it is missing or `null`. The same as `Field.optional`.
@inlinable
public func optional<Value: Sendable>(
    _ name: String, _ value: Decoding<Value>, default fallback: Value
) -> Field<Value> {
    .optional(name, value, default: fallback)
}

/// `optional(_:_:default:)` as SwiftDecodePipeline spells it.
@inlinable
public func optional<Value: Sendable>(
    _ name: String, _ value: Decoding<Value>, _ fallback: Value
) -> Field<Value> {
    .optional(name, value, default: fallback)
}

/// A value that doesn't come from the JSON.
@inlinable
public func hardcoded<Value: Sendable>(_ value: Value) -> Field<Value> {
    .hardcoded(value)
}

/// The type of `[]` and `[:]` in `hardcoded([])` and `hardcoded([:])`, until `|>` knows the parameter's type.
public struct EmptyLiteral: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, Sendable {
    /// No elements: there are none of this type.
    @inlinable
    public init(arrayLiteral elements: Never...) {}

    /// No members: there are none of this type.
    @inlinable
    public init(dictionaryLiteral members: (Never, Never)...) {}
}

/// A collection that `hardcoded([])` or `hardcoded([:])` may stand for.
public protocol EmptyLiteralConvertible {
    /// Makes an empty one.
    init()
}

extension Array: EmptyLiteralConvertible {}
extension Set: EmptyLiteralConvertible {}
extension Dictionary: EmptyLiteralConvertible {}

// Disfavored, since otherwise the type checker takes ten times as long, 10 s, where a field beside it is wrong.

/// An empty array, set or dictionary that doesn't come from the JSON: `[]` or `[:]` of the parameter's type.
@_disfavoredOverload
@inlinable
public func hardcoded<Value: EmptyLiteralConvertible & Sendable>(_ empty: EmptyLiteral) -> Field<Value> {
    .hardcoded(Value())
}

// MARK: - Decodings

/// A decoding of arrays, from one of their elements: `user |> array`. The same as `Decoding.array`.
@inlinable
public func array<Element>(_ element: Decoding<Element>) -> Decoding<[Element]> {
    .array(element)
}

/// `Decoding.map` for a pipe: `string |> map { $0.lowercased() }`.
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
// there, and these two stand in for the global `map` and `andThen`.
extension Decoding {
    /// `map` for a pipe inside an extension of `Decoding`: `string |> map { $0.lowercased() }`.
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

/// Parses a JSON document (RFC 8259) and reads a value from it. The same as `value(from:)`.
public func decodeJSON<Value>(_ data: Data, with decoding: Decoding<Value>) throws(DecodingFailure) -> Value {
    try decoding.value(from: data)
}

/// Parses the text of a JSON document and reads a value from it. The same as `value(from:)`.
public func decodeJSON<Value>(_ text: String, with decoding: Decoding<Value>) throws(DecodingFailure) -> Value
{
    try decoding.value(from: text)
}

extension Decoding {
    /// Reads a value from JSON: `try user(json)`. The same as `value(from:)`.
    public func callAsFunction(_ json: JSON) throws(DecodingFailure) -> Value {
        try value(from: json)
    }

    /// Parses a JSON document and reads a value from it. The same as `value(from:)`.
    public func callAsFunction(_ data: Data) throws(DecodingFailure) -> Value {
        try value(from: data)
    }

    /// Parses the text of a JSON document and reads a value from it. The same as `value(from:)`.
    public func callAsFunction(_ text: String) throws(DecodingFailure) -> Value {
        try value(from: text)
    }
}
