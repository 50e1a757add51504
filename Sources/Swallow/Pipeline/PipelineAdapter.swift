import Foundation

/// A response, a failure or recovered content, with the pipeline's results for it. It connects a data source to the
/// handlers. It is a class, because passing an object on is faster than copying its properties.
final class PipelineAdapter: Sendable {
    /// The result that must exist before the chain calls a handler.
    enum Need: Sendable {
        case bytes, json, text, entity
        /// The handler reads no body.
        case head

        var takesWork: Bool {
            switch self {
            case .bytes, .head: false
            case .json, .text, .entity: true
            }
        }
    }

    let source: Source
    let plan: PipelinePlan
    let results: PipelineResults

    init(_ source: Source, _ plan: PipelinePlan, _ results: PipelineResults = PipelineResults()) {
        self.source = source
        self.plan = plan
        self.results = results
    }

    convenience init(_ response: ReceivedResponse, failure: ServiceError? = nil, _ plan: PipelinePlan) {
        self.init(failure.map { .rejected(response, $0) } ?? .received(response), plan)
    }

    convenience init(failure: ServiceError, _ plan: PipelinePlan) {
        self.init(.failed(failure), plan)
    }

    /// Creates the adapter for a response whose body was written to a sink instead of memory.
    convenience init(
        written head: HTTPURLResponse, _ entity: Entity<any Sendable>, _ plan: PipelinePlan
    ) {
        let source: Source
        if let file = entity.content as? URL {
            source = .file(file, head: head, entity)
        } else {
            source = .received(
                ReceivedResponse(head: ResponseHead(head), data: Data(), timestamp: entity.timestamp))
        }
        self.init(source, plan, PipelineResults(output: entity))
    }

    func after(_ attempts: Int) -> PipelineAdapter {
        guard attempts > 1, let error = error?.after(attempts) else { return self }
        return PipelineAdapter(response.map { .rejected($0, error) } ?? .failed(error), plan, results)
    }

    /// Whether the stages must run before the first handler. Standard parsers alone run on demand instead.
    var needsPipeline: Bool { plan.parsers == nil && results.output == nil }

    var unprocessedResults: PipelineResults {
        switch source {
        case .received(let response):
            return PipelineResults(.success(response.entity), data: response.data)
        case .rejected(let response, var error):
            error.entity = error.entity ?? response.entity
            return PipelineResults(.failure(error), data: response.data)
        case .failed(let error): return PipelineResults(.failure(error), data: Data())
        case .file, .recovered: return results
        }
    }

    func replacing(_ content: any Sendable) -> PipelineAdapter {
        let previous = (try? results.output?.get()) ?? rawEntity
        return including { $0.replaceContent(with: previous.withContent(content)) }
    }

    func has(_ need: Need) -> Bool {
        switch need {
        case .head: true
        case .bytes: hasBytes
        case .json: results.json != nil
        case .text: results.text != nil
        case .entity: results.output != nil
        }
    }

    func prepared(for need: Need) -> PipelineAdapter {
        if has(need) { return self }
        if !hasBytes {
            let bytes = loadBytes()
            return including { $0.loadedBytes = bytes }.prepared(for: need)
        }
        return including { results in
            switch need {
            case .bytes, .head: break
            case .json: results.json = parseJSON()
            case .text: results.text = decodeText()
            case .entity: runPostponedParser(&results)
            }
        }
    }

    private func including(_ change: (inout PipelineResults) -> Void) -> PipelineAdapter {
        var results = results
        change(&results)
        return PipelineAdapter(source, plan, results)
    }

    private func runPostponedParser(_ results: inout PipelineResults) {
        switch postponedParser {
        case .json?:
            let json = results.json ?? parseJSON()
            results.json = json
            results.output = json.map { rawEntity.withContent($0) }
        case .text?:
            let text = results.text ?? decodeText()
            results.text = text
            results.output = text.map { rawEntity.withContent($0) }
        case let parser?: results.output = parser.process(.success(rawEntity))
        case nil: results.output = .success(rawEntity)
        }
    }

    private func parseJSON() -> Result<JSON, ServiceError> {
        Result { () throws(ServiceError) in try bodyEntity().parsedJSON() }.mapError(explained)
    }

    private func decodeText() -> Result<String, ServiceError> {
        Result { () throws(ServiceError) in try bodyEntity().parsedText() }.mapError(explained)
    }

    private func explained(_ error: ServiceError) -> ServiceError {
        var error = plan.explained(error, maker)
        error.response = head
        error.entity = rawEntity
        return error
    }

    /// Returns the result that was parsed for a handler, so that the log can report it. `nil` if there is none.
    func result(of need: Need) -> Outcome? {
        switch need {
        case .bytes, .head: nil
        case .json: results.json?.map { rawEntity.withContent($0) }
        case .text: results.text?.map { rawEntity.withContent($0) }
        case .entity: results.output
        }
    }

    func parser(for need: Need) -> StandardTransformer? {
        if has(need) { return nil }
        let parser: StandardTransformer? =
            switch need {
            case .bytes, .head: nil
            case .json: .json
            case .text: .text
            case .entity: postponedParser
            }
        switch parser {
        case .json?: return results.json == nil ? parser : nil
        case .text?: return results.text == nil ? parser : nil
        default: return parser
        }
    }

    /// The standard parser that runs when a handler needs its result, or `nil`.
    private var postponedParser: StandardTransformer? {
        guard let response, let parsers = plan.parsers,
            !response.data.isEmpty, let mediaType = rawEntity.mediaType
        else { return nil }
        return parsers.first { $0.takes(mediaType) }
    }

    var maker: PipelineResults.Maker? {
        results.maker ?? postponedParser.flatMap(plan.place)
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
