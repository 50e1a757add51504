import Foundation

extension WebService {
    /// Configures all requests. See ``configure(_:methods:_:)``.
    public mutating func configure(_ configurer: @escaping @Sendable (inout Configuration) -> Void) {
        configure(.all, methods: nil, configurer)
    }

    /// Returns a copy of the service that configures all requests. See ``configure(_:methods:_:)``.
    public func configured(_ configurer: @escaping @Sendable (inout Configuration) -> Void) -> WebService {
        configured(.all, methods: nil, configurer)
    }

    /// Returns a copy of the service that configures matching requests. See ``configure(_:methods:_:)``.
    public func configured(
        _ pattern: URLPattern = .all, methods: Set<Request.Method>? = nil,
        _ configurer: @escaping @Sendable (inout Configuration) -> Void
    ) -> WebService {
        var service = self
        service.configure(pattern, methods: methods, configurer)
        return service
    }

    /// Adds a transformer for the content of responses to matching requests.
    ///
    /// The closure's types are the transformer's input and output types. For a closure that returns `nil` or throws,
    /// see ``ResponseContentTransformer/init(onInputTypeMismatch:transformErrors:description:_:)``.
    ///
    /// - Parameters:
    ///   - pattern: The URLs of the requests, by default all.
    ///   - methods: The methods of the requests. `nil`, the default, stands for all.
    ///   - stage: The stage that the transformer runs in, by default after the parsers.
    ///   - description: The transformer's name in the log, by default its input and output types.
    ///   - action: Whether the transformer replaces the stage's transformers, the default, or runs after them.
    ///   - mismatchAction: The action for other content than `I`. By default, the task fails with `.contentMismatch`.
    ///   - transformErrors: Whether the bodies of failures are also transformed. The default is false.
    ///   - transform: Returns the new content. It runs off the main thread.
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

    /// Adds a transformer that decodes the JSON of matching responses as a model. Their content type needn't be JSON.
    /// By default, ``WebService/Configuration/jsonDecoding`` applies. The task fails, for example with `.unparsable`, if
    /// the body isn't JSON, and with `.undecodable` if the JSON doesn't fit the model.
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

    /// Adds a transformer that reads matching responses' JSON with a ``Decoding``. Their content type needn't be JSON.
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
