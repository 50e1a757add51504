import SwallowJSON

precedencegroup PipePrecedence {
    associativity: left
    higherThan: AssignmentPrecedence
    lowerThan: TernaryPrecedence
}

/// Passes its left side to its right side.
infix operator |> : PipePrecedence

/// Begins a decoding with a type's initializer or another function. `|>` passes a field for each parameter, in their
/// order. The result is the same as with Swallow's `Decoding(_:_:)`.
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
/// The type of an incomplete decoding contains the missing fields. After the first field of this example, it is
/// `Decoding<(String?, Int, [String], String, String, User)>`. An incomplete decoding always fails.
@inlinable
public func decode<each Parameter, Value>(
    _ make: @escaping @Sendable (repeat each Parameter) throws -> Value
) -> Decoding<(repeat each Parameter, Value)> {
    Chain(make).decoding()
}

// One `|>` accepts the fields of all steps, including the last one, because a tuple of one type is that type. With a
// second overload, or with curried functions, the type checker needs more than 10 s to find a wrong field of twenty,
// and gives up.

/// Passes the field of the next parameter.
@inlinable
public func |> <Parameter, each Rest, Value>(
    decoding: Decoding<(Parameter, repeat each Rest, Value)>, field: Field<Parameter>
) -> Decoding<(repeat each Rest, Value)> {
    decoding.appending(field)
}

/// Passes a decoding to a function that returns another one, for example `user |> array` and `string |> map { $0.count
/// }`.
@inlinable
public func |> <Value, Result>(
    decoding: Decoding<Value>, transform: (Decoding<Value>) -> Decoding<Result>
) -> Decoding<Result> {
    transform(decoding)
}
