import Foundation

/// A response, a failure or recovered content, with the pipeline's results for it. It connects a data source to the
/// handlers. It is a class, because passing an object on is faster than copying its properties.
final class PipelineAdapter: Sendable {
    enum Source: Sendable {
        case received(ReceivedResponse)
        indirect case rejected(ReceivedResponse, ServiceError)
        indirect case failed(ServiceError)
        /// A response whose body is in a file. The entity's content is the URL of the file.
        indirect case file(URL, head: HTTPURLResponse, Entity<any Sendable>)
        /// Content that `recover` or a transformer returned after a failure.
        indirect case recovered(Entity<any Sendable>, url: URL?, encoding: JSON.EncodingOptions)
    }

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

extension PipelineAdapter {
    var response: ReceivedResponse? {
        switch source {
        case .received(let response), .rejected(let response, _): response
        case .failed, .file, .recovered: nil
        }
    }

    var error: ServiceError? {
        switch source {
        case .rejected(_, let error), .failed(let error): error
        case .received, .file, .recovered: nil
        }
    }

    var head: HTTPURLResponse? {
        if case .file(_, let head, _) = source { return head }
        return response?.head
    }

    var rawEntity: Entity<any Sendable> {
        switch source {
        case .received(let response), .rejected(let response, _): response.entity
        case .failed(let error): error.entity ?? Entity(content: Data())
        case .file(_, _, let entity): entity
        case .recovered(let entity, _, _): entity
        }
    }

    var isFile: Bool { if case .file = source { true } else { false } }

    var isSmall: Bool {
        switch source {
        case .received(let response), .rejected(let response, _): ReceivedResponse.isSmall(response.data)
        case .file: false
        case .failed, .recovered: hasBytes
        }
    }

    var hasBytes: Bool {
        switch source {
        case .received, .rejected, .failed: true
        case .file: results.loadedBytes != nil
        case .recovered(let entity, _, _): entity.isBody || results.loadedBytes != nil
        }
    }

    /// Returns the entity from which JSON and text are parsed.
    func bodyEntity() throws(ServiceError) -> Entity<any Sendable> {
        switch source {
        case .received, .rejected, .failed: results.data.map { rawEntity.withContent($0) } ?? rawEntity
        case .recovered(let entity, _, _) where entity.isBody: entity
        case .file, .recovered: rawEntity.withContent(try bytes())
        }
    }
}

extension Entity<any Sendable> {
    fileprivate var isBody: Bool { content is Data || content is String || content is JSON }
}

struct ReceivedResponse: Sendable {
    private let lazyHead: ResponseHead
    let data: Data
    let timestamp: Date
    let origin: EntityOrigin
    private let freshness: Freshness?

    init(
        head: ResponseHead, data: Data, timestamp: Date, origin: EntityOrigin = .network,
        freshness: Freshness? = nil
    ) {
        lazyHead = head
        self.data = data
        self.timestamp = timestamp
        self.origin = origin
        self.freshness = freshness
    }

    var head: HTTPURLResponse { lazyHead.response }

    static func isSmall(_ body: Data) -> Bool { body.count <= 64 * 1024 }

    var entity: Entity<any Sendable> {
        Entity(content: data, head: lazyHead, timestamp: timestamp, origin: origin, freshness: freshness)
    }
}
