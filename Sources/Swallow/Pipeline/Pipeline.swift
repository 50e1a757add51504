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
