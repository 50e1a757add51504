/// The value that each transformer passes to the next one. It is either content with its headers or a failure.
public typealias Outcome = Result<Entity<any Sendable>, ServiceError>

/// A step between a response's bytes and the content that handlers receive.
///
/// A transformer also receives failures, whose body may already be parsed. Most transformers are easier to write with
/// ``ResponseContentTransformer``, which checks the types.
///
/// ```swift
/// struct ErrorMessage: ResponseTransformer {
///     func process(_ outcome: Outcome) -> Outcome {
///         outcome.mapError { error in
///             var error = error
///             if let message = error.json["message"].string { error.userMessage = message }
///             return error
///         }
///     }
/// }
/// ```
public protocol ResponseTransformer: Sendable, CustomStringConvertible {
    /// Returns the outcome for the next transformer. Called off the main thread, for several tasks at the same time.
    func process(_ outcome: Outcome) -> Outcome
}

extension ResponseTransformer {
    /// The name of the type, for the log.
    public var description: String { "\(Self.self)" }
}
