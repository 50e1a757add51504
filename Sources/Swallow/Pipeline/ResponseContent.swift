import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One response, and what the pipeline has made of it so far.
///
/// It never changes: ``making(_:)`` returns one that has more, and the handler chain goes on with that. So everything is
/// made once, however many handlers read it, and passing it on costs a reference.
final class ResponseContent: Sendable {
    /// What has to be made before a handler runs.
    enum Need: Sendable {
        case bytes, json, text, entity
        /// Nothing but a success.
        case head

        /// Whether making it may take long.
        var takesWork: Bool {
            switch self {
            case .bytes, .head: false
            case .json, .text, .entity: true
            }
        }
    }

    let source: Source
    let plan: PipelinePlan
    /// The bytes that parsing on demand starts from, where a stage changed those received.
    private let parsableData: Data?
    let json: Result<JSON, ServiceError>?
    let text: Result<String, ServiceError>?
    private let entity: Result<Entity<any Sendable>, ServiceError>?
    private let knownMaker: ContentMaker?

    /// The content of a response as received, for a pipeline of nothing but parsers, which run when needed.
    convenience init(_ response: ReceivedResponse, _ plan: PipelinePlan) {
        self.init(.received(response), plan)
    }

    /// The content of a response as received, and what the pipeline has made of it.
    convenience init(
        _ response: ReceivedResponse, _ plan: PipelinePlan, _ entity: Entity<any Sendable>,
        _ output: PipelineOutput
    ) {
        self.init(
            .received(response), plan, parsableData: output.data, json: output.json.map(Result.success),
            text: output.text.map(Result.success), entity: .success(entity), maker: output.maker)
    }

    /// The content of a response whose body the task took before the pipeline.
    convenience init(
        claimed head: HTTPURLResponse, _ entity: Entity<any Sendable>, _ plan: PipelinePlan
    ) {
        let response = ReceivedResponse(
            head: ResponseHead(head), data: Data(), timestamp: entity.timestamp)
        let file = (entity.content as? URL).map { FileBody(head: head, entity: entity, url: $0) }
        self.init(file.map { .file($0) } ?? .received(response), plan, entity: .success(entity))
    }

    /// Content that `recover` put in a failure's place.
    convenience init(recovered content: RecoveredContent, _ plan: PipelinePlan) {
        self.init(.recovered(content), plan, entity: .success(content.entity))
    }

    private init(
        _ source: Source, _ plan: PipelinePlan, parsableData: Data? = nil,
        json: Result<JSON, ServiceError>? = nil, text: Result<String, ServiceError>? = nil,
        entity: Result<Entity<any Sendable>, ServiceError>? = nil, maker: ContentMaker? = nil
    ) {
        self.source = source
        self.plan = plan
        self.parsableData = parsableData
        self.json = json
        self.text = text
        self.entity = entity
        knownMaker = maker
    }

    /// The same response with content that a handler made.
    func replacing(_ content: any Sendable) -> ResponseContent {
        let previous = (try? entity?.get()) ?? rawEntity
        return ResponseContent(
            source, plan, parsableData: parsableData, json: json, text: text,
            entity: .success(previous.withContent(content)), maker: .handler)
    }

    /// Whether everything that a need asks for is made.
    func has(_ need: Need) -> Bool {
        switch need {
        case .head: true
        case .bytes: hasBytes
        case .json: json != nil
        case .text: text != nil
        case .entity: entity != nil
        }
    }

    /// The same content with what a need asks for, or with the reason why it can't be made.
    func making(_ need: Need) -> ResponseContent {
        if has(need) { return self }
        switch source {
        case .file(let file) where file.bytes == nil: return having(.file(file.read())).making(need)
        case .recovered(let content) where content.needsEncoding:
            return having(.recovered(content.addingBytes())).making(need)
        default: break
        }
        var (json, text, entity) = (json, text, entity)
        switch need {
        case .bytes, .head: return self
        case .json: json = made { () throws(ServiceError) in try readEntity().parsedJSON() }
        case .text: text = made { () throws(ServiceError) in try readEntity().parsedText() }
        case .entity:
            switch dueParser {
            case .json?:
                json = json ?? made { () throws(ServiceError) in try parsableEntity.parsedJSON() }
                entity = json?.map { rawEntity.withContent($0) }
            case .text?:
                text = text ?? made { () throws(ServiceError) in try parsableEntity.parsedText() }
                entity = text?.map { rawEntity.withContent($0) }
            case let parser?: entity = parser.process(.success(rawEntity))
            case nil: entity = .success(rawEntity)
            }
        }
        return ResponseContent(
            source, plan, parsableData: parsableData, json: json, text: text, entity: entity,
            maker: knownMaker)
    }

    /// The same content with a source that includes the bytes.
    private func having(_ source: Source) -> ResponseContent {
        ResponseContent(
            source, plan, parsableData: parsableData, json: json, text: text, entity: entity,
            maker: knownMaker)
    }

    /// The entity that parsing on demand starts from. Throws if a file can't be read, or a recovered value has no body.
    private func readEntity() throws(ServiceError) -> Entity<any Sendable> {
        switch source {
        case .received: parsableEntity
        case .recovered(let content): try content.body()
        case .file(let file): file.entity.withContent(try file.data())
        }
    }

    /// What was made for a need, as a response.
    func result(of need: Need) -> Response? {
        switch need {
        case .bytes, .head: nil
        case .json: json?.map { rawEntity.withContent($0) }
        case .text: text?.map { rawEntity.withContent($0) }
        case .entity: entity
        }
    }

    /// The parser that ``making(_:)`` would run.
    func parser(for need: Need) -> StandardTransformer? {
        switch need {
        case .bytes, .head: nil
        case .json: json == nil ? .json : nil
        case .text: text == nil ? .text : nil
        case .entity:
            switch dueParser {
            case .json?: json == nil ? .json : nil
            case .text?: text == nil ? .text : nil
            case let parser: parser
            }
        }
    }

    /// The parser that takes the body, where its run was put off; nil leaves the body as it is.
    private var dueParser: StandardTransformer? { entity == nil ? lazyParser : nil }

    private var lazyParser: StandardTransformer? {
        guard case .received(let response) = source, let parsers = plan.parsers,
            !response.data.isEmpty, let mediaType = rawEntity.mediaType
        else { return nil }
        return parsers.first { $0.takes(mediaType) }
    }

    /// What gave the content its type; nil where that is as received.
    var maker: ContentMaker? {
        knownMaker ?? lazyParser.flatMap(plan.maker)
    }

    /// Runs a closure; adds the response to the error that it throws.
    private func made<Value>(_ make: () throws(ServiceError) -> Value) -> Result<Value, ServiceError> {
        do throws(ServiceError) {
            return .success(try make())
        } catch {
            var error = plan.explained(error, maker)
            error.response = head
            error.entity = rawEntity
            return .failure(error)
        }
    }

    /// What parsing on demand starts from.
    var parsableEntity: Entity<any Sendable> {
        if case .file(let file) = source, case .success(let data)? = file.bytes {
            return file.entity.withContent(data)
        }
        return parsableData.map { rawEntity.withContent($0) } ?? rawEntity
    }
}

extension ResponseContent {
    /// The body of a failure: what the transformers have made of it, or the bytes where they can't.
    var errorEntity: Entity<any Sendable> {
        if case .success(let entity)? = entity { entity } else { rawEntity }
    }

    /// What a transformer or a handler made of the body, or `recover` put in a failure's place; a download's URL.
    var model: (any Sendable)? {
        guard case .success(let entity)? = entity else { return nil }
        switch source {
        case .recovered, .file: return entity.content
        case .received: break
        }
        if case .handler? = knownMaker { return entity.content }
        let isUnmodelled = entity.content is Data || entity.content is String || entity.content is JSON
        return parsableData == nil || isUnmodelled ? nil : entity.content
    }
}
