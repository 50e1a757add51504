/// A reader of one parameter of the function that creates a ``Decoding``'s value, usually from a member of the object.
public struct Field<Value>: Sendable {
    @usableFromInline let read: @Sendable (JSON) throws(DecodingFailure) -> Value

    @inlinable
    init(read: @escaping @Sendable (JSON) throws(DecodingFailure) -> Value) {
        self.read = read
    }
}

extension Field {
    /// A required member. A `null` isn't missing, so `value` reads it, for example as ``Decoding/nullable(_:)``.
    @inlinable
    public static func required(_ name: String, _ value: Decoding<Value>) -> Self {
        .custom(.field(name, value))
    }

    /// The member at a path of nested objects. All members of the path are required.
    @inlinable
    public static func required(at path: [String], _ value: Decoding<Value>) -> Self {
        .custom(.at(path, value))
    }

    /// An optional member, which is `nil` if it is missing or `null`. If `value` can't read it, the decoding fails.
    @inlinable
    public static func optional<Wrapped>(_ name: String, _ value: Decoding<Wrapped>) -> Self
    where Value == Wrapped? {
        Self { json throws(DecodingFailure) in try value.readOptional(name, of: json) }
    }

    /// An optional member, with a default if it is missing or `null`. If `value` can't read it, the decoding fails.
    @inlinable
    public static func optional(
        _ name: String, _ value: Decoding<Value>, default fallback: Value
    ) -> Self where Value: Sendable {
        Self { json throws(DecodingFailure) in try value.readOptional(name, of: json) ?? fallback }
    }

    /// A field with a constant value, which isn't read from the JSON.
    @inlinable
    public static func hardcoded(_ value: Value) -> Self where Value: Sendable {
        Self { _ throws(DecodingFailure) in value }
    }

    /// The value that a decoding reads from the complete object instead of from a member.
    @inlinable
    public static func custom(_ decoding: Decoding<Value>) -> Self {
        Self(read: decoding.read)
    }
}

extension Decoding {
    /// Creates a decoding that reads one field for each parameter of a function and then calls the function.
    ///
    /// The compiler reports a wrong type on the line of its field. A closure in a field must be marked `@Sendable`, as
    /// in `.required("name", .custom { @Sendable json in … })`, because Swift 6.3 doesn't infer this. The functions of
    /// DecodePipeline don't need it: `required("name", .custom { … })`.
    ///
    /// - Parameters:
    ///   - make: The function, for example `User.init`. It may run on any thread, so it must be `nonisolated`. If it
    ///     throws, the decoding fails.
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
