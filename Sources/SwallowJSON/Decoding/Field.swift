/// One parameter's part in a ``Decoding``: which member of the object it comes from, and how it is read.
public struct Field<Value>: Sendable {
    /// Reads the value from the whole object.
    @usableFromInline let read: @Sendable (JSON) throws(DecodingFailure) -> Value

    @inlinable
    init(read: @escaping @Sendable (JSON) throws(DecodingFailure) -> Value) {
        self.read = read
    }
}

extension Field {
    /// The member of that name, which must be there. `null` is handed to its decoding, so that
    /// ``Decoding/nullable(_:)`` works.
    @inlinable
    public static func required(_ name: String, _ value: Decoding<Value>) -> Self {
        .custom(.field(name, value))
    }

    /// The value at the end of a path of members, all of which must be there.
    @inlinable
    public static func required(at path: [String], _ value: Decoding<Value>) -> Self {
        .custom(.at(path, value))
    }

    /// The member of that name; nil where it is missing or `null`. One of the wrong type is a failure.
    @inlinable
    public static func optional<Wrapped>(_ name: String, _ value: Decoding<Wrapped>) -> Self
    where Value == Wrapped? {
        Self { json throws(DecodingFailure) in try value.readOptional(name, of: json) }
    }

    /// The member of that name; the default where it is missing or `null`. One of the wrong type is a failure.
    @inlinable
    public static func optional(
        _ name: String, _ value: Decoding<Value>, default fallback: Value
    ) -> Self where Value: Sendable {
        Self { json throws(DecodingFailure) in try value.readOptional(name, of: json) ?? fallback }
    }

    /// A value that doesn't come from the JSON.
    @inlinable
    public static func hardcoded(_ value: Value) -> Self where Value: Sendable {
        Self { _ throws(DecodingFailure) in value }
    }

    /// What a decoding reads from the whole object, not from one of its members.
    @inlinable
    public static func custom(_ decoding: Decoding<Value>) -> Self {
        Self(read: decoding.read)
    }
}

extension Decoding {
    /// Makes a value by a function of any number of parameters, mostly an initialiser, from one field for each. An
    /// error that the function throws becomes the failure at the object.
    ///
    /// The compiler reports a wrong type on its field's line. For a closure in a field, either use the module
    /// DecodePipeline's spelling, `required("name", .custom { … })`, or mark the closure:
    /// `.required("name", .custom { @Sendable json in … })`. The compiler (6.3) loses `@Sendable` between two leading
    /// dots.
    ///
    /// - Parameters:
    ///   - make: `User.init`, say. For a type whose initialiser belongs to the main actor, declare the type
    ///     `nonisolated`: decodings run off the main thread.
    ///   - fields: one for each parameter, in their order.
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
