import Foundation

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
        guard let input = output else { return }
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
