import Foundation

extension WebService {
    /// Transforms the content of the responses to requests that a pattern and, where given, methods match.
    ///
    /// The closure's types say what it takes and gives. It runs on a background queue, once for each response; nil
    /// fails the task with `.noContent`, and what it throws is the task's error (see
    /// ``ResponseContentTransformer/init(onInputTypeMismatch:transformErrors:description:_:)``).
    ///
    /// ```swift
    /// service.configureTransformer("/users/*") { (entity: Entity<JSON>) in try User(entity.content) }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: which URLs; all by default.
    ///   - methods: which methods; nil, the default, stands for all.
    ///   - stage: when it runs; after the parsers by default.
    ///   - description: names it in the log; input and output type by default.
    ///   - action: whether it takes the place of the stage's transformers, the default, or runs after them.
    ///   - mismatchAction: what to do with content of another type; fails with `.contentMismatch` by default.
    ///   - transformErrors: whether the bodies of failures are transformed too; false by default.
    ///   - transform: makes the new content, on a background queue.
    public mutating func configureTransformer<I: Sendable, O: Sendable>(
        _ pattern: URLPattern = .all, methods: Set<Request.Method>? = nil,
        atStage stage: PipelineStageKey = .model, description: String? = nil,
        action: PipelineStage.MutationAction = .replaceExisting,
        onInputTypeMismatch mismatchAction: InputTypeMismatchAction = .error, transformErrors: Bool = false,
        _ transform: @escaping @Sendable (Entity<I>) throws -> O?
    ) {
        let transformer = ResponseContentTransformer(
            onInputTypeMismatch: mismatchAction, transformErrors: transformErrors, description: description,
            transform)
        configure(pattern, methods: methods) { $0.pipeline[stage].add(transformer, action: action) }
    }

    /// Decodes the responses that match from JSON into a model, whatever their content type.
    ///
    /// What can't be decoded ends in `.unparsable` or `.undecodable`.
    ///
    /// ```swift
    /// service.configureTransformer("/users/*", decoding: User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: which URLs; all by default.
    ///   - methods: which methods; nil, the default, stands for all.
    ///   - stage: when it runs; after the parsers by default.
    ///   - type: the model.
    ///   - options: nil, the default, stands for ``Configuration/jsonDecoding``, as it is set before this.
    ///   - action: whether it takes the place of the stage's transformers, the default, or runs after them.
    public mutating func configureTransformer<Value: Decodable & Sendable>(
        _ pattern: URLPattern = .all, methods: Set<Request.Method>? = nil,
        atStage stage: PipelineStageKey = .model, decoding type: Value.Type,
        options: JSON.DecodingOptions? = nil, action: PipelineStage.MutationAction = .replaceExisting
    ) {
        configure(pattern, methods: methods) { configuration in
            let options = options ?? configuration.jsonDecoding
            let transformer = ResponseContentTransformer(description: "decode \(type)") {
                (entity: Entity<any Sendable>) in
                try entity.parsedJSON().decode(Value.self, options: options)
            }
            configuration.pipeline[stage].add(transformer, action: action)
        }
    }

    /// Reads the responses that match from JSON with a ``Decoding``, whatever their content type.
    ///
    /// ```swift
    /// service.configureTransformer("/athletes", decoding: .array(.athlete))
    /// ```
    public mutating func configureTransformer<Value: Sendable>(
        _ pattern: URLPattern = .all, methods: Set<Request.Method>? = nil,
        atStage stage: PipelineStageKey = .model, decoding: Decoding<Value>,
        action: PipelineStage.MutationAction = .replaceExisting
    ) {
        configure(pattern, methods: methods) { configuration in
            let options = JSON.DecodingOptions.Shared(configuration.jsonDecoding)
            let transformer = ResponseContentTransformer(description: "decode \(Value.self)") {
                (entity: Entity<any Sendable>) in
                let json = try entity.parsedJSON()
                return try JSON.DecodingOptions.reading(by: options) { try decoding.value(from: json) }
            }
            configuration.pipeline[stage].add(transformer, action: action)
        }
    }
}
