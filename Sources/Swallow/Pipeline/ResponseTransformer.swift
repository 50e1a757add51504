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

/// How a transformer handles content that doesn't have its input type.
public enum InputTypeMismatchAction: Sendable {
    /// Fails with `.contentMismatch`.
    case error
    /// Returns the content unchanged.
    case skip
    /// Returns the content unchanged if it has the output type already, and fails otherwise.
    case skipIfOutputTypeMatches
}

/// A transformer that converts one type of content to another with a closure.
///
/// ```swift
/// let user = ResponseContentTransformer { (entity: Entity<JSON>) in try User(entity.content) }
/// ```
public struct ResponseContentTransformer<Input: Sendable, Output: Sendable>: ResponseTransformer {
    /// The transformer's name in the log.
    public let description: String
    private let mismatchAction: InputTypeMismatchAction
    private let transformsErrors: Bool
    private let transform: @Sendable (Entity<Input>) throws -> Output?

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - mismatchAction: The action for content of another type. By default, the task fails with `.contentMismatch`.
    ///   - transformErrors: Whether the bodies of failures are transformed as well. The default is false.
    ///   - description: The transformer's name in the log. The default names the input and output types.
    ///   - transform: Returns the new content. For a success, the task fails with `.noOutput` if this returns `nil`,
    ///     and with `.thrown` if this throws your own error. For a failure, `nil` or an error changes nothing.
    public init(
        onInputTypeMismatch mismatchAction: InputTypeMismatchAction = .error, transformErrors: Bool = false,
        description: String? = nil, _ transform: @escaping @Sendable (Entity<Input>) throws -> Output?
    ) {
        self.mismatchAction = mismatchAction
        self.transformsErrors = transformErrors
        self.description = description ?? "\(Input.self) → \(Output.self)"
        self.transform = transform
    }

    /// Transforms the content of a success. If `transformErrors` is true, this also transforms the body of a failure.
    public func process(_ outcome: Outcome) -> Outcome {
        switch outcome {
        case .success(let entity):
            return transformed(entity)
        case .failure(var error):
            guard transformsErrors, let body = error.entity, body.content is Input,
                case .success(let transformedBody) = transformed(body)
            else { return outcome }
            error.entity = transformedBody
            return .failure(error)
        }
    }

    private func transformed(_ entity: Entity<any Sendable>) -> Outcome {
        guard let content = entity.content as? Input else { return mismatch(entity) }
        do {
            guard let output = try transform(entity.withContent(content)) else {
                let detail = "\(description) returned nil"
                return .failure(ServiceError(.noOutput, detail: detail, entity: entity))
            }
            return .success(entity.withContent(output))
        } catch {
            return .failure(ServiceError(thrown: error, detail: description, entity: entity))
        }
    }

    private func mismatch(_ entity: Entity<any Sendable>) -> Outcome {
        switch mismatchAction {
        case .skip: return .success(entity)
        case .skipIfOutputTypeMatches where entity.content is Output: return .success(entity)
        case .error, .skipIfOutputTypeMatches:
            let reason = ServiceError.Reason.contentMismatch(
                expected: "\(Input.self)", actual: "\(type(of: entity.content))")
            return .failure(ServiceError(reason, detail: description, entity: entity))
        }
    }
}
