import Foundation

/// The stages that turn a response's bytes into content. They run in order, off the main thread.
///
/// ```swift
/// service.configure("/menu.xml") { configuration in
///     configuration.pipeline[.parsing].add(MenuParser(), contentTypes: ["*/xml", "*/*+xml"])
/// }
/// ```
///
/// The stages also process failures, for example of the status check. They parse a failure's body, and a transformer
/// can copy the server's message to ``ServiceError/userMessage``. By default, the ``PipelineStageKey/parsing`` stage
/// has the standard transformers.
public struct Pipeline: Sendable {
    private var stages: [PipelineStageKey: PipelineStage] = [:]
    private var orderedKeys: [PipelineStageKey] = [.rawData, .decoding, .parsing, .model, .cleanup]
    private(set) var problems: [String] = []

    package init() {}

    init(_ standardTransformers: [StandardTransformer]) {
        if !standardTransformers.isEmpty { stages[.parsing] = PipelineStage(standardTransformers) }
    }

    /// The stages that run, from first to last. The default is `rawData`, `decoding`, `parsing`, `model`, `cleanup`.
    ///
    /// A stage that isn't listed doesn't run. The log reports a configured stage that isn't listed, and a key that is
    /// listed twice. Without a log, debug builds report them on standard error.
    public var order: [PipelineStageKey] {
        get { orderedKeys }
        set {
            var seen: Set<PipelineStageKey> = []
            orderedKeys = newValue.filter { key in
                let isNew = seen.insert(key).inserted
                if !isNew { problems.append("the pipeline's order lists the stage \"\(key)\" twice") }
                return isNew
            }
        }
    }

    /// The stage for a key, which may be empty.
    public subscript(key: PipelineStageKey) -> PipelineStage {
        get { stages[key] ?? PipelineStage() }
        set { stages[key] = newValue }
    }

    /// Removes all transformers and caches. The order doesn't change.
    public mutating func clear() {
        stages = [:]
    }

    /// Removes the transformers of all stages, including the standard ones.
    public mutating func removeAllTransformers() {
        for key in stages.keys { stages[key]?.removeTransformers() }
    }

    /// Removes the caches of all stages.
    public mutating func removeAllCaches() {
        for key in stages.keys { stages[key]?.doNotCache() }
    }

    var hasCaches: Bool { orderedKeys.contains { stages[$0]?.cache != nil } }

    var keysLeftOut: [PipelineStageKey] {
        stages.filter { key, stage in
            !orderedKeys.contains(key) && !(stage.transformers.isEmpty && stage.cache == nil)
        }.keys.sorted { $0.description < $1.description }
    }
}

/// A pipeline that is ready to run, for all requests with the same configuration.
final class PipelinePlan: Sendable {
    struct Stage: Sendable {
        let name: String
        let transformers: [any ResponseTransformer]
        let store: VariantStore?
    }

    let stages: [Stage]
    /// The standard parsers, if the pipeline contains nothing else. They run when a handler needs their result.
    let parsers: [StandardTransformer]?
    let hasCaches: Bool
    let problems: [String]
    let ownDecoding: JSON.DecodingOptions.Shared?
    let origin = ContentOrigin()

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
        hasCaches = pipeline.hasCaches
        problems =
            pipeline.problems
            + pipeline.keysLeftOut.map { "the stage \"\($0)\" is configured but not in the pipeline's order" }
    }
}

extension PipelinePlan {
    var jsonDecoding: JSON.DecodingOptions { ownDecoding?.options ?? .standard }
}

extension PipelinePlan {
    /// Adds to a `.contentMismatch` error which transformer or handler determined the content's type.
    func explained(_ error: ServiceError, _ maker: PipelineResults.Maker?) -> ServiceError {
        guard let maker, case .contentMismatch(_, let actual) = error.reason else { return error }
        switch maker {
        case .handler: return error.adding(detail: "the task's transform returned the \(actual)")
        case .transformer(let stage, let index):
            let (name, transformer) = (stages[stage].name, stages[stage].transformers[index])
            return error.adding(detail: "the \(actual) is from \(transformer) in the stage \"\(name)\"")
        }
    }

    func place(of parser: StandardTransformer) -> PipelineResults.Maker? {
        for (stage, transformers) in stages.map(\.transformers).enumerated() {
            let index = transformers.firstIndex { $0 as? StandardTransformer == parser }
            if let index { return .transformer(stage: stage, index: index) }
        }
        return nil
    }
}

extension PipelinePlan {
    /// Called after each transformer, with the stage's name, the transformer, its duration and its result.
    typealias Observer = (String, any ResponseTransformer, Duration, Outcome) -> Void

    /// - Parameter didRun: A closure that is called after each stage, with the stage's index and the results so far.
    func run(
        _ results: PipelineResults, from first: Int = 0, observer: Observer?,
        didRun: ((Int, PipelineResults) -> Void)? = nil
    ) -> PipelineResults {
        var results = results
        for index in stages.indices.dropFirst(first) {
            for (place, transformer) in stages[index].transformers.enumerated() {
                let start = observer == nil ? nil : ContinuousClock.now
                results.apply(transformer, at: .transformer(stage: index, index: place), of: self)
                guard let observer, let start, let output = results.output else { continue }
                observer(stages[index].name, transformer, ContinuousClock.now - start, output)
            }
            didRun?(index, results)
        }
        return results
    }
}

struct PipelineResults: Sendable {
    /// The transformer or handler that error messages name as the source of the content.
    enum Maker: Sendable {
        case transformer(stage: Int, index: Int)
        /// A task's `transform`.
        case handler
    }

    var output: Outcome?
    /// The bytes from which JSON and text are parsed, for example decrypted bytes.
    private(set) var data: Data?
    var json: Result<JSON, ServiceError>?
    var text: Result<String, ServiceError>?
    /// The bytes of a body that was read from a file, or encoded from recovered content.
    var loadedBytes: Result<Data, ServiceError>?
    private(set) var maker: Maker?
    private var type: Any.Type?

    init() {}

    init(output entity: Entity<any Sendable>) {
        output = .success(entity)
    }

    init(_ outcome: Outcome, data: Data, json: JSON? = nil, text: String? = nil) {
        output = outcome
        self.data = data
        self.json = json.map(Result.success)
        self.text = text.map(Result.success)
        noteContent(of: outcome)
    }

    var failure: ServiceError? { if case .failure(let error)? = output { error } else { nil } }

    mutating func replaceContent(with entity: Entity<any Sendable>) {
        output = .success(entity)
        maker = .handler
    }

    mutating func apply(
        _ transformer: any ResponseTransformer, at place: Maker, of plan: PipelinePlan
    ) {
        guard let input = output.take() else { return }
        let previous = type
        var outcome = transformer.process(input)
        noteContent(of: outcome)
        if let previous, let type {
            if type != previous { maker = place }
        } else if previous != nil, case .failure(let error) = outcome {
            outcome = .failure(plan.explained(error, maker))
        }
        output = outcome
    }

    // A failed cast takes 0.1 µs, so types are compared first.
    private mutating func noteContent(of outcome: Outcome) {
        guard case .success(let entity) = outcome else {
            type = nil
            return
        }
        let new = Swift.type(of: entity.content) as Any.Type
        type = new
        if new == Data.self, let data = entity.content as? Data {
            (self.data, json, text) = (data, nil, nil)
        } else if new == JSON.self {
            json = (entity.content as? JSON).map(Result.success)
        } else if new == String.self {
            text = (entity.content as? String).map(Result.success)
        }
    }
}
