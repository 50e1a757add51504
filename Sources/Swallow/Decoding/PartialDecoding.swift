/// A type's initialiser and the fields that `|>` has brought it so far.
///
/// It forgets the fields' types; `decode` and `|>` keep them in the type of the decoding around it, and let nothing
/// through that doesn't fit.
@usableFromInline
final class PartialDecoding: Sendable {
    private let parameterCount: Int
    private let fields: [any Sendable]
    private let build: @Sendable ([any Sendable]) throws -> any Sendable

    @usableFromInline
    struct UnfitField: Error {
        @usableFromInline init() {}
    }

    @usableFromInline
    init(
        parameterCount: Int, fields: [any Sendable],
        build: @escaping @Sendable ([any Sendable]) throws -> any Sendable
    ) {
        self.parameterCount = parameterCount
        self.fields = fields
        self.build = build
    }

    @inlinable
    convenience init<each Parameter, Value>(
        _ make: @escaping @Sendable (repeat each Parameter) throws -> Value
    ) {
        var count = 0
        for _ in repeat (each Parameter).self { count += 1 }
        self.init(parameterCount: count, fields: []) { fields in
            var rest = fields[...]
            func next<Next>(_ type: Next.Type) throws -> Field<Next> {
                guard let field = rest.popFirst() as? Field<Next> else { throw UnfitField() }
                return field
            }
            return Decoding(make, repeat try next((each Parameter).self))
        }
    }

    @usableFromInline
    func appending(_ field: any Sendable) -> PartialDecoding {
        PartialDecoding(parameterCount: parameterCount, fields: fields + [field], build: build)
    }

    /// The decoding, once there are as many fields as parameters.
    func decoding<Value>(of type: Value.Type) -> Decoding<Value>? {
        guard fields.count == parameterCount else { return nil }
        return try? build(fields) as? Decoding<Value>
    }
}
