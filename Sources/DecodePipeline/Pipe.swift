import SwallowJSON

precedencegroup PipePrecedence {
    associativity: left
    higherThan: AssignmentPrecedence
    lowerThan: TernaryPrecedence
}

/// Adds a field to a decoding, or passes a decoding to a function.
infix operator |> : PipePrecedence

/// Begins a decoding with an initializer or another function. Then `|>` adds one field for each of its parameters.
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
/// While fields are missing, the decoding's type contains their types, and the decoding always fails.
@inlinable
public func decode<each Parameter, Value>(
    _ make: @escaping @Sendable (repeat each Parameter) throws -> Value
) -> Decoding<(repeat each Parameter, Value)> {
    Chain(make).decoding()
}

// This function also adds the last field, because a tuple of one type is that type. With a separate function for it, or
// with curried functions, the type checker takes more than 10 s to report that one of twenty fields is wrong.

/// Adds the field for the next parameter of the function that was passed to `decode`.
@inlinable
public func |> <Parameter, each Rest, Value>(
    decoding: Decoding<(Parameter, repeat each Rest, Value)>, field: Field<Parameter>
) -> Decoding<(repeat each Rest, Value)> {
    decoding.appending(field)
}

/// Passes a decoding to a function that returns another decoding, for example `user |> array`.
@inlinable
public func |> <Value, Result>(
    decoding: Decoding<Value>, transform: (Decoding<Value>) -> Decoding<Result>
) -> Decoding<Result> {
    transform(decoding)
}
