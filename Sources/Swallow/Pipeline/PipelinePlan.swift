import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A pipeline made ready to run: what is the same for all responses that it is for.
final class PipelinePlan: Sendable {
    struct Stage: Sendable {
        let name: String
        let transformers: [any ResponseTransformer]
        let store: VariantStore?
    }

    let stages: [Stage]
    /// The parsers of a pipeline that has nothing else, and so needn't run before it is known what handlers read;
    /// nil for any other.
    let parsers: [StandardTransformer]?
    let hasCaches: Bool
    /// Whether reading the caches takes no other queue.
    let readsAtOnce: Bool
    /// What was configured and has no effect.
    let problems: [String]
    /// How handlers decode JSON.
    let jsonDecoding: JSON.DecodingOptions
    /// Marks cached content as this pipeline's.
    let origin = ContentOrigin()

    init(_ pipeline: Pipeline, jsonDecoding: JSON.DecodingOptions = .standard) {
        self.jsonDecoding = jsonDecoding
        let stages = pipeline.order.map { ($0, pipeline[$0]) }
        self.stages = stages.compactMap { key, stage in
            if stage.transformers.isEmpty, stage.cache == nil { return nil }
            return Stage(
                name: key.description, transformers: stage.transformers,
                store: stage.cache.map { VariantStore($0) })
        }
        let isStandard = stages.allSatisfy { $0.1.isStandard }
        parsers =
            isStandard ? stages.flatMap { $0.1.transformers.compactMap { $0 as? StandardTransformer } } : nil
        hasCaches = stages.contains { $0.1.cache != nil }
        readsAtOnce = stages.allSatisfy { $0.1.cache?.isImmediate ?? true }
        problems =
            pipeline.problems
            + pipeline.keysLeftOut.map { "the stage \"\($0)\" is configured but not in the pipeline's order" }
    }
}

// MARK: - Running

/// A response as received.
struct ReceivedResponse: Sendable {
    let head: HTTPURLResponse
    /// The body.
    let data: Data
    /// When it came, or was last confirmed.
    var timestamp = Date()
    var origin = EntityOrigin.network

    /// The body with the head's fields.
    var entity: Entity<any Sendable> {
        var entity = Entity<any Sendable>(content: data, response: head, timestamp: timestamp)
        entity.origin = origin
        return entity
    }
}

/// What the stages begin with: a response, a failure, or a failure and the response that it is about.
struct PipelineInput: Sendable {
    let response: ReceivedResponse?
    let error: ServiceError?

    init(_ response: ReceivedResponse, error: ServiceError? = nil) {
        self.response = response
        self.error = error
    }

    init(error: ServiceError) {
        response = nil
        self.error = error
    }

    private init(_ response: ReceivedResponse?, _ error: ServiceError) {
        self.response = response
        self.error = error
    }

    /// The same, as what the last of so many attempts gave.
    func after(_ attempts: Int) -> PipelineInput {
        guard attempts > 1, let error else { return self }
        return PipelineInput(response, error.after(attempts))
    }
}

/// What has come out of the stages so far.
struct PipelineOutput: Sendable {
    private(set) var response: Response
    /// The last bytes that came out: what parsing on demand starts from, so that no decrypting stage is bypassed.
    private(set) var data: Data
    /// The last JSON that was made of these bytes.
    private(set) var json: JSON?
    /// The last text that was made of these bytes.
    private(set) var text: String?
    /// What gave the content its type; nil where that is as received, or came from a cache.
    private(set) var maker: ContentMaker?

    init(_ response: Response, data: Data, json: JSON? = nil, text: String? = nil) {
        self.response = response
        self.data = data
        self.json = json
        self.text = text
        note()
    }

    fileprivate init(_ input: PipelineInput) {
        let entity = input.response?.entity
        let data = input.response?.data ?? Data()
        if var error = input.error {
            error.entity = error.entity ?? entity
            self.init(.failure(error), data: data)
        } else {
            self.init(entity.map(Response.success) ?? .failure(ServiceError(.invalidResponse)), data: data)
        }
    }

    fileprivate mutating func apply(
        _ transformer: any ResponseTransformer, at place: ContentMaker, of plan: PipelinePlan
    ) {
        let previous = response
        response = transformer.process(previous)
        switch (previous, response) {
        case (.success(let before), .success(let after)):
            if type(of: before.content) != type(of: after.content) { maker = place }
        case (.success, .failure(let error)): response = .failure(plan.explained(error, maker))
        case (.failure, _): break
        }
        note()
    }

    /// Remembers what handlers may ask for. The types are compared first: a cast that fails costs 0.1 µs.
    private mutating func note() {
        guard case .success(let entity) = response else { return }
        let type = type(of: entity.content) as Any.Type
        if type == Data.self, let data = entity.content as? Data {
            (self.data, json, text) = (data, nil, nil)
        } else if type == JSON.self {
            json = entity.content as? JSON
        } else if type == String.self {
            text = entity.content as? String
        }
    }
}

/// What gave content its type, for errors.
enum ContentMaker: Sendable {
    /// A transformer, by its place in the plan.
    case transformer(stage: Int, index: Int)
    /// A `transform` of the task's.
    case handler
}

extension PipelinePlan {
    /// The same error, where content is not of the type asked for with what made it so.
    func explained(_ error: ServiceError, _ maker: ContentMaker?) -> ServiceError {
        guard let maker, case .contentMismatch(_, let actual) = error.reason else { return error }
        switch maker {
        case .handler: return error.adding(detail: "the \(actual) came from the task's transform")
        case .transformer(let stage, let index):
            let (name, transformer) = (stages[stage].name, stages[stage].transformers[index])
            return error.adding(detail: "the \(actual) came from \(transformer) in the stage \"\(name)\"")
        }
    }

    /// A parser as what gave content its type.
    func maker(_ parser: StandardTransformer) -> ContentMaker? {
        for (stage, transformers) in stages.map(\.transformers).enumerated() {
            let index = transformers.firstIndex { $0 as? StandardTransformer == parser }
            if let index { return .transformer(stage: stage, index: index) }
        }
        return nil
    }
}

extension PipelinePlan {
    /// Is told of each transformer that ran: the stage's name, the transformer, how long it took, what came out.
    typealias Observer = (String, any ResponseTransformer, Duration, Response) -> Void

    /// Runs the stages over what a transfer gave.
    ///
    /// - Parameter didRun: is told of each stage that is through, with its place.
    func run(
        _ input: PipelineInput, observer: Observer?, didRun: ((Int, PipelineOutput) -> Void)? = nil
    ) -> PipelineOutput {
        var output = PipelineOutput(input)
        run(&output, observer: observer, didRun: didRun)
        return output
    }

    /// Runs the stages from one on.
    func run(
        _ output: inout PipelineOutput, from first: Int = 0, observer: Observer?,
        didRun: ((Int, PipelineOutput) -> Void)? = nil
    ) {
        for index in stages.indices.dropFirst(first) {
            let stage = stages[index]
            for (place, transformer) in stage.transformers.enumerated() {
                let place = ContentMaker.transformer(stage: index, index: place)
                guard let observer else {
                    output.apply(transformer, at: place, of: self)
                    continue
                }
                let start = ContinuousClock.now
                output.apply(transformer, at: place, of: self)
                observer(stage.name, transformer, ContinuousClock.now - start, output.response)
            }
            didRun?(index, output)
        }
    }
}
