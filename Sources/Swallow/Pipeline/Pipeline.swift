/// What makes content of a response's bytes: stages that run in order, off the main thread, once for each response.
///
/// ```swift
/// service.configure("/menu.xml") { configuration in
///     configuration.pipeline[.parsing].add(MenuParser(), contentTypes: ["*/xml", "*/*+xml"])
/// }
/// ```
///
/// A failure goes through the stages too, with its body, so that the body is parsed and a transformer can put the
/// server's words into ``ServiceError/userMessage``. A service begins with its standard transformers in the
/// ``PipelineStageKey/parsing`` stage.
public struct Pipeline: Sendable {
    private var stages: [PipelineStageKey: PipelineStage] = [:]
    private var orderedKeys: [PipelineStageKey] = [.rawData, .decoding, .parsing, .model, .cleanup]
    /// Mistakes in the configuration, for the log.
    private(set) var problems: [String] = []

    package init() {}

    init(_ standardTransformers: [StandardTransformer]) {
        if !standardTransformers.isEmpty { stages[.parsing] = PipelineStage(standardTransformers) }
    }

    /// The stages that run, first to last; `rawData`, `decoding`, `parsing`, `model`, `cleanup` by default.
    ///
    /// A stage that isn't listed doesn't run; one that has something to do, the standard parsers too, is reported to the
    /// log, and without one on standard error in debug builds. A key that is listed again is dropped, and reported to the log.
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

    /// A stage; an empty one where nothing was configured.
    public subscript(key: PipelineStageKey) -> PipelineStage {
        get { stages[key] ?? PipelineStage() }
        set { stages[key] = newValue }
    }

    /// Removes all transformers and caches; the order stays.
    public mutating func clear() {
        stages = [:]
    }

    /// Removes the transformers of all stages, the standard ones too.
    public mutating func removeAllTransformers() {
        for key in stages.keys { stages[key]?.removeTransformers() }
    }

    /// Removes the caches of all stages.
    public mutating func removeAllCaches() {
        for key in stages.keys { stages[key]?.doNotCache() }
    }

    /// The stages that are configured, but not in the order.
    var keysLeftOut: [PipelineStageKey] {
        stages.filter { key, stage in
            !orderedKeys.contains(key) && !(stage.transformers.isEmpty && stage.cache == nil)
        }.keys.sorted { $0.description < $1.description }
    }
}
