extension Decoding {
    /// Returns a decoding that converts the value with a closure. If the closure throws, the decoding fails.
    public func map<Result>(_ transform: @escaping @Sendable (Value) throws -> Result) -> Decoding<Result> {
        Decoding<Result>(expected) { [read] json throws(DecodingFailure) in
            let value = try read(json)
            do {
                return try transform(value)
            } catch {
                throw DecodingFailure(thrown: error)
            }
        }
    }

    /// Returns a decoding that reads the same JSON again, with the decoding that a closure returns for the value.
    ///
    /// ```swift
    /// let shape: Decoding<Shape> = Decoding<String>.field("kind", .string)
    ///     .andThen { kind in kind == "circle" ? .circle : .square }
    /// ```
    public func andThen<Result>(
        _ next: @escaping @Sendable (Value) throws -> Decoding<Result>
    ) -> Decoding<Result> {
        Decoding<Result>(expected) { [read] json throws(DecodingFailure) in
            let value = try read(json)
            let decoding: Decoding<Result>
            do {
                decoding = try next(value)
            } catch {
                throw DecodingFailure(thrown: error)
            }
            return try decoding.read(json)
        }
    }
}
