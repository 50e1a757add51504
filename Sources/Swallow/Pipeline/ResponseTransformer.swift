/// What the pipeline hands on: content with its headers, or why there is none.
public typealias Response = Result<Entity<any Sendable>, ServiceError>

/// A step between a response's bytes and what handlers get.
///
/// A transformer sees failures too, with the body as far as it was transformed, so it can read the server's words
/// from it, turn the failure into a success, or a success into a failure. Where it has nothing to do it returns
/// what it was given. Most are easier written with ``ResponseContentTransformer``, which takes care of types.
///
/// ```swift
/// struct ErrorMessage: ResponseTransformer {
///     func process(_ response: Response) -> Response {
///         guard case .failure(var error) = response, let message = error.json["message"].string else {
///             return response
///         }
///         error.userMessage = message
///         return .failure(error)
///     }
/// }
/// ```
///
/// To test one, call ``process(_:)`` with an ``Entity`` of your own.
public protocol ResponseTransformer: Sendable, CustomStringConvertible {
    /// Returns what the next transformer gets. Runs on a background queue, of several tasks at a time.
    func process(_ response: Response) -> Response
}

extension ResponseTransformer {
    /// The name of the type, for the log.
    public var description: String { "\(Self.self)" }
}
