import SwallowJSON

/// A type's initializer with the fields so far. Their types are in the type of the decoding that contains the chain.
@usableFromInline
final class Chain: Sendable {
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

    /// Returns an incomplete decoding for the next field unless the chain has all fields.
    @usableFromInline
    func decoding<Value>(of type: Value.Type = Value.self) -> Decoding<Value> {
        if fields.count == parameterCount, let complete = try? build(fields) as? Decoding<Value> {
            return complete
        }
        return Decoding(lacking: "fewer", chain: self)
    }
}

extension Decoding {
    @usableFromInline
    func appending<Result>(_ field: any Sendable) -> Decoding<Result> {
        guard let chain = chain as? Chain else {
            return Decoding<Result>(lacking: "a decoding that doesn't begin with decode", chain: nil)
        }
        return chain.appending(field).decoding()
    }

    /// Fields are missing, or `decode` didn't begin the chain.
    fileprivate init(lacking found: String, chain: Chain?) {
        self.init("object", chain: chain) { _ throws(DecodingFailure) in
            throw DecodingFailure(expected: "a field for each parameter", found: found)
        }
    }
}

extension Chain {
    fileprivate func appending(_ field: any Sendable) -> Chain {
        Chain(parameterCount: parameterCount, fields: fields + [field], build: build)
    }
}
