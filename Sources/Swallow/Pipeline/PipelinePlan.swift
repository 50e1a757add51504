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
    /// How handlers decode JSON, where that isn't the standard way.
    let ownDecoding: JSON.DecodingOptions.Shared?
    /// Marks cached content as this pipeline's.
    let origin = ContentOrigin()

    /// - Parameter jsonDecoding: nil stands for the standard options.
    init(_ pipeline: Pipeline, jsonDecoding: JSON.DecodingOptions? = nil) {
        ownDecoding = jsonDecoding.map { JSON.DecodingOptions.Shared($0) }
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

extension PipelinePlan {
    /// How handlers decode JSON.
    var jsonDecoding: JSON.DecodingOptions { ownDecoding?.options ?? .standard }
}

// MARK: - Running

/// A response as received.
struct ReceivedResponse: Sendable {
    private let lazyHead: ResponseHead
    /// The body.
    let data: Data
    /// When it came, or was last confirmed.
    let timestamp: Date
    let origin: EntityOrigin
    private let freshness: UsedFreshness?

    init(
        head: ResponseHead, data: Data, timestamp: Date, origin: EntityOrigin = .network,
        freshness: UsedFreshness? = nil
    ) {
        lazyHead = head
        self.data = data
        self.timestamp = timestamp
        self.origin = origin
        self.freshness = freshness
    }

    var head: HTTPURLResponse { lazyHead.response }

    /// The body with the head's fields.
    var entity: Entity<any Sendable> {
        Entity(content: data, head: lazyHead, timestamp: timestamp, origin: origin, freshness: freshness)
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
    /// The content's type; nil for a failure.
    private var type: Any.Type?

    init(_ response: Response, data: Data, json: JSON? = nil, text: String? = nil) {
        self.response = response
        self.data = data
        self.json = json
        self.text = text
        note()
    }

    fileprivate init(_ input: PipelineInput) {
        switch (input.response, input.error) {
        case (let response?, nil): self.init(.success(response.entity), data: response.data)
        case (let response?, var error?):
            error.entity = error.entity ?? response.entity
            self.init(.failure(error), data: response.data)
        case (nil, let error): self.init(.failure(error ?? ServiceError(.invalidResponse)), data: Data())
        }
    }

    fileprivate mutating func apply(
        _ transformer: any ResponseTransformer, at place: ContentMaker, of plan: PipelinePlan
    ) {
        let previous = type
        response = transformer.process(response)
        note()
        if let previous, let type {
            if type != previous { maker = place }
        } else if previous != nil, case .failure(let error) = response {
            response = .failure(plan.explained(error, maker))
        }
    }

    /// Remembers what handlers may ask for. A response is looked into once, since to copy one takes 0.2 µs; the types are
    /// compared first, since a cast that fails costs 0.1 µs.
    private mutating func note() {
        guard case .success(let entity) = response else {
            type = nil
            return
        }
        let new = Swift.type(of: entity.content) as Any.Type
        type = new
        if new == Data.self, let data = entity.content as? Data {
            (self.data, json, text) = (data, nil, nil)
        } else if new == JSON.self {
            json = entity.content as? JSON
        } else if new == String.self {
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
            for place in stages[index].transformers.indices {
                let transformer = stages[index].transformers[place]
                let start = observer == nil ? nil : ContinuousClock.now
                output.apply(transformer, at: .transformer(stage: index, index: place), of: self)
                guard let observer, let start else { continue }
                observer(
                    stages[index].name, transformer, ContinuousClock.now - start, output.response)
            }
            didRun?(index, output)
        }
    }
}
