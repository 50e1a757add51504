import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What handlers read: one response's bytes and what has been made of them so far.
///
/// It never changes: ``prepared(for:)`` gives one that has more, and the handler chain goes on with that. So
/// everything is made once, however many handlers read it, and handing it on costs a reference.
final class ContentAdapter: Sendable {
    /// What a handler needs to have been made before it runs.
    enum Need: Sendable {
        case bytes, json, text, entity
    }

    private let source: Source
    /// What parsing on demand starts from, where a stage made other bytes of those received.
    private let parsableData: Data?
    private let madeJSON: Result<JSON, ServiceError>?
    private let madeText: Result<String, ServiceError>?
    private let madeEntity: Result<Entity<any Sendable>, ServiceError>?

    private enum Source: Sendable {
        case received(HTTPURLResponse, Data, parsers: [StandardTransformer], timestamp: Date)
        case recovered(Entity<any Sendable>, url: URL?)
    }

    /// The content of a response as received, for a pipeline of nothing but parsers, which run when needed.
    convenience init(
        response: HTTPURLResponse, data: Data, parsers: [StandardTransformer], timestamp: Date = Date()
    ) {
        self.init(.received(response, data, parsers: parsers, timestamp: timestamp))
    }

    /// The content of a response as received, and what the pipeline has made of it.
    convenience init(
        response: HTTPURLResponse, data: Data, timestamp: Date, _ entity: Entity<any Sendable>,
        _ output: PipelineOutput
    ) {
        self.init(
            .received(response, data, parsers: [], timestamp: timestamp), parsableData: output.data,
            json: output.json.map(Result.success), text: output.text.map(Result.success),
            entity: .success(entity))
    }

    /// Content that `recover` put in a failure's place: it is what it is, no transformer changes it.
    convenience init(recovered entity: Entity<any Sendable>, url: URL?) {
        self.init(.recovered(entity, url: url), entity: .success(entity))
    }

    private init(
        _ source: Source, parsableData: Data? = nil, json: Result<JSON, ServiceError>? = nil,
        text: Result<String, ServiceError>? = nil,
        entity: Result<Entity<any Sendable>, ServiceError>? = nil
    ) {
        self.source = source
        self.parsableData = parsableData
        madeJSON = json
        madeText = text
        madeEntity = entity
    }

    /// Whether nothing is left to be made for a need.
    func isReady(for need: Need) -> Bool {
        switch need {
        case .bytes: true
        case .json: madeJSON != nil
        case .text: madeText != nil
        case .entity: madeEntity != nil
        }
    }

    /// The same content with what a need asks for, or with the reason why it can't be made.
    func prepared(for need: Need) -> ContentAdapter {
        if isReady(for: need) { return self }
        switch need {
        case .bytes: return self
        case .json:
            let json = Result { () throws(ServiceError) in try self.json() }
            return ContentAdapter(
                source, parsableData: parsableData, json: json, text: madeText, entity: madeEntity)
        case .text:
            let text = Result { () throws(ServiceError) in try self.text() }
            return ContentAdapter(
                source, parsableData: parsableData, json: madeJSON, text: text, entity: madeEntity)
        case .entity:
            let parsed = standardNeed.map(prepared) ?? self
            let entity = Result { () throws(ServiceError) in try parsed.entity() }
            return ContentAdapter(
                source, parsableData: parsableData, json: parsed.madeJSON, text: parsed.madeText,
                entity: entity)
        }
    }
}

// MARK: - What handlers read

extension ContentAdapter {
    /// The HTTP response, where there was one.
    var response: HTTPURLResponse? {
        if case .received(let response, _, _, _) = source { response } else { nil }
    }

    /// The response's head and its bytes as received.
    ///
    /// Recovered content has a 200 with the entity's headers for its head.
    func head() throws(ServiceError) -> (HTTPURLResponse, Data) {
        switch source {
        case .received(let response, let data, _, _): return (response, data)
        case .recovered(let entity, let url):
            guard let url,
                let response = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: entity.headers.combined)
            else { throw ServiceError(.invalidResponse, detail: "no response head can be made") }
            return (response, try bytes())
        }
    }

    /// The bytes as received; for recovered content, the bytes that it stands for.
    func bytes() throws(ServiceError) -> Data {
        switch source {
        case .received(_, let data, _, _): return data
        case .recovered(let entity, _):
            switch entity.content {
            case let data as Data: return data
            case let text as String: return Data(text.utf8)
            case let json as JSON: return json.data
            case let other: throw mismatch(expected: Data.self, actual: other)
            }
        }
    }

    private func parsableBytes() throws(ServiceError) -> Data {
        if let parsableData { return parsableData }
        return try bytes()
    }

    /// The body as JSON, whatever its content type.
    func json() throws(ServiceError) -> JSON {
        if let madeJSON { return try madeJSON.get() }
        if case .recovered(let entity, _) = source, let json = entity.content as? JSON { return json }
        let data = try parsableBytes()
        if data.isEmpty { throw failure(.emptyBody, detail: "there is no JSON in an empty body") }
        do {
            return try JSON(parsing: data)
        } catch {
            throw failure(.unparsable, detail: "the body is not JSON", underlying: error)
        }
    }

    /// The body as text by its charset, whatever its content type.
    func text() throws(ServiceError) -> String {
        if let madeText { return try madeText.get() }
        let data = try parsableBytes()
        do {
            return try TextDecoding.text(of: data, charset: mediaType?.charset)
        } catch {
            throw failure(.unparsable, detail: "the body is not text", underlying: error)
        }
    }

    /// The content that the standard transformers make of the body: the outcome of the task.
    func entity() throws(ServiceError) -> Entity<any Sendable> {
        if let madeEntity { return try madeEntity.get() }
        switch standardParser {
        case .json?: return rawEntity.withContent(try json())
        case .text?: return rawEntity.withContent(try text())
        case let parser?: return try parser.process(.success(rawEntity)).get()
        case nil: return rawEntity
        }
    }

    /// The outcome's content, where it is of the type asked for.
    func content<Content>(as type: Content.Type) throws(ServiceError) -> Content {
        let content = try entity().content
        guard let content = content as? Content else { throw mismatch(expected: type, actual: content) }
        return content
    }

    /// The body decoded from JSON, whatever its content type. An empty body is nil for an optional type, and
    /// content that has the type already, since a transformer made it or `recover` gave it, is taken as it is.
    func decoded<Value: Decodable>(as type: Value.Type) throws(ServiceError) -> Value {
        if let model, let value = model as? Value { return value }
        if let optional = type as? any OptionalValue.Type, try parsableBytes().isEmpty,
            let absent = optional.absent as? Value
        {
            return absent
        }
        let json = try json()
        do {
            return try json.decode(type)
        } catch {
            throw failure(.undecodable, detail: "the JSON is not a \(type)", underlying: error)
        }
    }

    /// The body read from JSON by a decoding, whatever its content type.
    func decoded<Value>(with decoding: Decoding<Value>) throws(ServiceError) -> Value {
        let json = try json()
        do {
            return try decoding.value(from: json)
        } catch {
            throw failure(.undecodable, detail: "the JSON is not a \(Value.self)", underlying: error)
        }
    }

    /// The error body: what the transformers make of it, or the raw bytes where they can't.
    func errorEntity() -> Entity<any Sendable> {
        (try? entity()) ?? rawEntity
    }

    /// The content as received, or as it was recovered.
    var rawEntity: Entity<any Sendable> {
        switch source {
        case .recovered(let entity, _): entity
        case .received(let response, let data, _, let timestamp):
            Entity(content: data, response: response, timestamp: timestamp)
        }
    }
}

extension ContentAdapter {
    /// The parser that takes the body, where its run was put off; nil leaves the body as it is.
    private var standardParser: StandardTransformer? {
        guard case .received(_, let data, let parsers, _) = source, !parsers.isEmpty, !data.isEmpty,
            let mediaType
        else { return nil }
        return parsers.first { $0.takes(mediaType) }
    }

    /// The parser that ``prepared(for:)`` would run.
    func parser(for need: Need) -> StandardTransformer? {
        switch need {
        case .bytes: nil
        case .json: madeJSON == nil ? .json : nil
        case .text: madeText == nil ? .text : nil
        case .entity: standardNeed.map(isReady) ?? false ? nil : standardParser
        }
    }

    /// What was made for a need.
    func result(of need: Need) -> Response? {
        switch need {
        case .bytes: nil
        case .json: madeJSON?.map { rawEntity.withContent($0) }
        case .text: madeText?.map { rawEntity.withContent($0) }
        case .entity: madeEntity
        }
    }

    private var standardNeed: Need? {
        switch standardParser {
        case .json?: .json
        case .text?: .text
        default: nil
        }
    }

    /// What a transformer made of the body, or `recover` put in a failure's place.
    private var model: (any Sendable)? {
        guard case .success(let entity) = madeEntity else { return nil }
        if case .recovered = source { return entity.content }
        let isUnmodelled = entity.content is Data || entity.content is String || entity.content is JSON
        return parsableData == nil || isUnmodelled ? nil : entity.content
    }

    private var mediaType: MediaType? {
        switch source {
        case .received(let response, _, _, _):
            response.value(forHTTPHeaderField: "Content-Type").map(MediaType.init)
        case .recovered(let entity, _): entity.headers[.contentType].map(MediaType.init)
        }
    }

    private func mismatch(expected: Any.Type, actual: any Sendable) -> ServiceError {
        let reason = ServiceError.Reason.contentMismatch(
            expected: "\(expected)", actual: "\(type(of: actual))")
        return failure(reason, detail: "the content is not a \(expected)")
    }

    private func failure(
        _ reason: ServiceError.Reason, detail: String, underlying: (any Error)? = nil
    ) -> ServiceError {
        ServiceError(reason, detail: detail, response: response, entity: rawEntity, underlying: underlying)
    }
}

/// Tells an optional type from others that also take `nil` literals, such as ``JSON``.
private protocol OptionalValue {
    static var absent: Any { get }
}

extension Optional: OptionalValue {
    fileprivate static var absent: Any { Self.none as Any }
}
