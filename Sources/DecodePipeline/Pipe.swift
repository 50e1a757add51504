import SwallowJSON

precedencegroup PipePrecedence {
    associativity: left
    higherThan: AssignmentPrecedence
    lowerThan: TernaryPrecedence
}

/// Passes its left operand to its right operand, or adds a field to a decoding.
infix operator |> : PipePrecedence

/// Begins a decoding with a type's initializer or another function. `|>` passes a field for each parameter.
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
/// The type of an incomplete decoding contains the types of the missing fields. An incomplete decoding always fails.
@inlinable
public func decode<each Parameter, Value>(
    _ make: @escaping @Sendable (repeat each Parameter) throws -> Value
) -> Decoding<(repeat each Parameter, Value)> {
    Chain(make).decoding()
}

// This `|>` accepts the field of any step, because a tuple of one type is that type. With another overload for the last
// step, or with curried functions, the type checker gives up on a wrong field among twenty after more than 10 s.

/// Adds the field for the next parameter of the function that was passed to `decode`.
@inlinable
public func |> <Parameter, each Rest, Value>(
    decoding: Decoding<(Parameter, repeat each Rest, Value)>, field: Field<Parameter>
) -> Decoding<(repeat each Rest, Value)> {
    decoding.appending(field)
}

/// Passes a decoding to a function, for example `user |> array` and `string |> map { $0.count }`.
@inlinable
public func |> <Value, Result>(
    decoding: Decoding<Value>, transform: (Decoding<Value>) -> Decoding<Result>
) -> Decoding<Result> {
    transform(decoding)
}
