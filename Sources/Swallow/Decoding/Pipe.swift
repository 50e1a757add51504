precedencegroup PipePrecedence {
    associativity: left
    higherThan: AssignmentPrecedence
    lowerThan: TernaryPrecedence
}

/// Hands what is on its left on to what is on its right.
infix operator |> : PipePrecedence

/// Begins a decoding with a type's initialiser, or another function; `|>` brings a field for
/// each parameter, in their order. The same as ``Decoding/init(_:_:)`` in other words.
///
/// ```swift
/// let user: Decoding<User> = decode(User.init)
///     |> required("name", .string)
///     |> optional("image", .string)
///     |> optional("score", .int, default: 0)
///     |> required(at: ["address", "city"], .string)
///     |> hardcoded("athlete")
/// ```
///
/// Until the last field is there, the type says what is missing: after the first of these it is
/// `Decoding<(String?, Int, String, String, User)>`, which fails wherever it is asked for a value.
@inlinable
public func decode<each Parameter, Value>(
    _ make: @escaping @Sendable (repeat each Parameter) throws -> Value
) -> Decoding<(repeat each Parameter, Value)> {
    Decoding(PartialDecoding(make))
}

// One `|>` takes the fields of every step, the last one too, because a tuple of one type is that type. With a
// second to choose from, or with curried functions, the type checker needs 10 s and more to find that one of twenty
// fields is wrong, and gives up.

/// Brings the field of the next parameter.
@inlinable
public func |> <Parameter, each Rest, Value>(
    decoding: Decoding<(Parameter, repeat each Rest, Value)>, field: Field<Parameter>
) -> Decoding<(repeat each Rest, Value)> {
    guard let partial = decoding.partial else { return Decoding(unfinished: nil) }
    return Decoding(partial.appending(field))
}

/// Hands a decoding on to a function that makes another from it: `user |> array`, `.string |> map { $0.count }`.
@inlinable
public func |> <Value, Result>(
    decoding: Decoding<Value>, transform: (Decoding<Value>) -> Decoding<Result>
) -> Decoding<Result> {
    transform(decoding)
}

// MARK: - Fields

/// The member of that name, which must be there. See ``Field/required(_:_:)``.
@inlinable
public func required<Value>(_ name: String, _ value: Decoding<Value>) -> Field<Value> {
    .required(name, value)
}

/// The value at the end of a path of members, all of which must be there. See ``Field/required(at:_:)``.
@inlinable
public func required<Value>(at path: [String], _ value: Decoding<Value>) -> Field<Value> {
    .required(at: path, value)
}

/// The member of that name; nil where it is missing or `null`. See ``Field/optional(_:_:)``.
@inlinable
public func optional<Value>(_ name: String, _ value: Decoding<Value>) -> Field<Value?> {
    .optional(name, value)
}

/// The member of that name; the default where it is missing or `null`. See ``Field/optional(_:_:default:)``.
@inlinable
public func optional<Value: Sendable>(
    _ name: String, _ value: Decoding<Value>, default fallback: Value
) -> Field<Value> {
    .optional(name, value, default: fallback)
}

/// A value that doesn't come from the JSON.
@inlinable
public func hardcoded<Value: Sendable>(_ value: Value) -> Field<Value> {
    .hardcoded(value)
}

// MARK: - Decodings

/// A decoding of arrays, from one of their elements: `user |> array`. See ``Decoding/array(_:)``.
@inlinable
public func array<Element>(_ element: Decoding<Element>) -> Decoding<[Element]> {
    .array(element)
}

/// `Decoding.map` for a pipe: `.string |> map { $0.lowercased() }`.
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
