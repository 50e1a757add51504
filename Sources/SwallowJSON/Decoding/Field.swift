/// A parameter of a ``Decoding``, with the member of the object and the decoding that reads it.
public struct Field<Value>: Sendable {
    @usableFromInline let read: @Sendable (JSON) throws(DecodingFailure) -> Value

    @inlinable
    init(read: @escaping @Sendable (JSON) throws(DecodingFailure) -> Value) {
        self.read = read
    }
}

extension Field {
    /// A required member. A `null` is passed to its decoding, so that ``Decoding/nullable(_:)`` works.
    @inlinable
    public static func required(_ name: String, _ value: Decoding<Value>) -> Self {
        .custom(.field(name, value))
    }

    /// The value at a path of required members.
    @inlinable
    public static func required(at path: [String], _ value: Decoding<Value>) -> Self {
        .custom(.at(path, value))
    }

    /// An optional member, which is `nil` if it is missing or `null`. A member of another type is a failure.
    @inlinable
    public static func optional<Wrapped>(_ name: String, _ value: Decoding<Wrapped>) -> Self
    where Value == Wrapped? {
        Self { json throws(DecodingFailure) in try value.readOptional(name, of: json) }
    }

    /// An optional member, with a default if it is missing or `null`. A member of another type is a failure.
    @inlinable
    public static func optional(
        _ name: String, _ value: Decoding<Value>, default fallback: Value
    ) -> Self where Value: Sendable {
        Self { json throws(DecodingFailure) in try value.readOptional(name, of: json) ?? fallback }
    }

    /// A value that isn't read from the JSON.
    @inlinable
    public static func hardcoded(_ value: Value) -> Self where Value: Sendable {
        Self { _ throws(DecodingFailure) in value }
    }

    /// The value that a decoding reads from the complete object instead of a member.
    @inlinable
    public static func custom(_ decoding: Decoding<Value>) -> Self {
        Self(read: decoding.read)
    }
}

extension Decoding {
    /// Creates a decoding that calls a function, usually an initializer, with one field for each parameter. If the
    /// function throws an error, it becomes the failure at the object.
    ///
    /// The compiler reports a wrong type on the line of its field. A closure in a field needs either the spelling of
    /// the module DecodePipeline, `required("name", .custom { … })`, or an attribute, `.required("name", .custom {
    /// @Sendable json in … })`. The compiler (6.3) loses `@Sendable` between two leading dots.
    ///
    /// - Parameters:
    ///   - make: The function, for example `User.init`. Decodings don't run on the main thread, so a type with an
    ///     initializer of the main
    ///     actor must be declared `nonisolated`.
    ///   - fields: The fields, in the order of the parameters.
    @inlinable
    public init<each Parameter>(
        _ make: @escaping @Sendable (repeat each Parameter) throws -> Value,
        _ fields: repeat Field<each Parameter>
    ) {
        self.init("object") { json throws(DecodingFailure) in
            do {
                return try make(repeat try (each fields).read(json))
            } catch {
                throw DecodingFailure(thrown: error)
            }
        }
    }
}
