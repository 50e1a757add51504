/// The source of the content's type, for error messages.
enum ContentMaker: Sendable {
    /// A transformer, named by its place in the plan.
    case transformer(stage: Int, index: Int)
    /// A task's `transform`.
    case handler
}

extension PipelinePlan {
    /// Adds the source of the content's type to an error about the type.
    func explained(_ error: ServiceError, _ maker: ContentMaker?) -> ServiceError {
        guard let maker, case .contentMismatch(_, let actual) = error.reason else { return error }
        switch maker {
        case .handler: return error.adding(detail: "the \(actual) came from the task's transform")
        case .transformer(let stage, let index):
            let (name, transformer) = (stages[stage].name, stages[stage].transformers[index])
            return error.adding(detail: "the \(actual) came from \(transformer) in the stage \"\(name)\"")
        }
    }

    func maker(_ parser: StandardTransformer) -> ContentMaker? {
        for (stage, transformers) in stages.map(\.transformers).enumerated() {
            let index = transformers.firstIndex { $0 as? StandardTransformer == parser }
            if let index { return .transformer(stage: stage, index: index) }
        }
        return nil
    }
}
