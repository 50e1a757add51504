/// What a transformer does with content that is not of its input type.
public enum InputTypeMismatchAction: Sendable {
    /// Fails with `.contentMismatch`.
    case error
    /// Leaves the content as it is.
    case skip
    /// Leaves the content as it is if it has the output type already, and fails otherwise.
    case skipIfOutputTypeMatches
}

/// A transformer from one type of content to another, made of a closure.
///
/// ```swift
/// let user = ResponseContentTransformer { (entity: Entity<JSON>) in try User(entity.content) }
/// ```
public struct ResponseContentTransformer<Input: Sendable, Output: Sendable>: ResponseTransformer {
    /// Names the transformer in the log.
    public let description: String
    private let mismatchAction: InputTypeMismatchAction
    private let transformsErrors: Bool
    private let transform: @Sendable (Entity<Input>) throws -> Output?

    /// Makes a transformer.
    ///
    /// - Parameters:
    ///   - mismatchAction: what to do with content of another type; fails with `.contentMismatch` by default.
    ///   - transformErrors: whether the bodies of failures are transformed too; false by default. A body that can't be
    ///     transformed stays as it is.
    ///   - description: names it in the log; input and output type by default.
    ///   - transform: makes the new content. Nil fails with `.noContent`; an error that it throws is the
    ///     task's: a ``ServiceError`` itself, a `DecodingError` or ``DecodingFailure`` as `.undecodable`, any other as
    ///     `.thrown`.
    public init(
        onInputTypeMismatch mismatchAction: InputTypeMismatchAction = .error, transformErrors: Bool = false,
        description: String? = nil, _ transform: @escaping @Sendable (Entity<Input>) throws -> Output?
    ) {
        self.mismatchAction = mismatchAction
        self.transformsErrors = transformErrors
        self.description = description ?? "\(Input.self) → \(Output.self)"
        self.transform = transform
    }

    /// Transforms the content of a success, and the body of a failure where that was asked for.
    public func process(_ response: Response) -> Response {
        switch response {
        case .success(let entity):
            return transformed(entity)
        case .failure(var error):
            guard transformsErrors, let body = error.entity, body.content is Input,
                case .success(let transformedBody) = transformed(body)
            else { return response }
            error.entity = transformedBody
            return .failure(error)
        }
    }

    private func transformed(_ entity: Entity<any Sendable>) -> Response {
        guard let content = entity.content as? Input else { return mismatch(entity) }
        do {
            guard let output = try transform(entity.withContent(content)) else {
                let detail = "\(description) gave nothing"
                return .failure(ServiceError(.noContent, detail: detail, entity: entity))
            }
            return .success(entity.withContent(output))
        } catch {
            return .failure(ServiceError(thrown: error, detail: description, entity: entity))
        }
    }

    private func mismatch(_ entity: Entity<any Sendable>) -> Response {
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
