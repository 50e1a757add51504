import SwallowJSON

precedencegroup PipePrecedence {
    associativity: left
    higherThan: AssignmentPrecedence
    lowerThan: TernaryPrecedence
}

/// Hands what is on its left on to what is on its right.
infix operator |> : PipePrecedence

/// Begins a decoding with a type's initialiser, or another function; `|>` brings a field for
/// each parameter, in their order. The same as Swallow's `Decoding(_:_:)` in other words.
///
/// ```swift
/// let user: Decoding<User> =
///     decode(User.init)
///     |> required("name", string)
///     |> optional("image", string)
///     |> optional("score", int, 0)
///     |> required("sports", string |> array)
///     |> required(at: ["address", "city"], string)
///     |> hardcoded("athlete")
/// ```
///
/// Until the last field is there, the type says what is missing: after the first of these it is
/// `Decoding<(String?, Int, [String], String, String, User)>`, which fails wherever it is asked for a value.
@inlinable
public func decode<each Parameter, Value>(
    _ make: @escaping @Sendable (repeat each Parameter) throws -> Value
) -> Decoding<(repeat each Parameter, Value)> {
    Chain(make).decoding()
}

// One `|>` takes the typed fields of every step, the last one too, because a tuple of one type is that type. With a
// second to choose from, or with curried functions, the type checker needs 10 s and more to find that one of twenty
// fields is wrong, and gives up.

/// Brings the field of the next parameter.
@inlinable
public func |> <Parameter, each Rest, Value>(
    decoding: Decoding<(Parameter, repeat each Rest, Value)>, field: Field<Parameter>
) -> Decoding<(repeat each Rest, Value)> {
    decoding.appending(field)
}

/// Hands a decoding on to a function that makes another from it: `user |> array`, `string |> map { $0.count }`.
@inlinable
public func |> <Value, Result>(
    decoding: Decoding<Value>, transform: (Decoding<Value>) -> Decoding<Result>
) -> Decoding<Result> {
    transform(decoding)
}
