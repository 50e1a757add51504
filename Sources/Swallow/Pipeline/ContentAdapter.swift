import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What handlers read: one response's bytes and, once somebody has asked, what they come to.
///
/// Everything is made at most once and remembered. A value without a lock: the handler chain, which runs one
/// step at a time, hands it from step to step.
struct ContentAdapter: Sendable {
    /// What a handler needs to have been made before it can run.
    enum Need: Sendable {
        case bytes, json, text, entity
        /// Something made anew for each handler.
        case more
    }

    private let source: Source
    private var json: Result<JSON, ServiceError>?
    private var text: Result<String, ServiceError>?
    private var entity: Result<Entity<any Sendable>, ServiceError>?

    private enum Source: Sendable {
        case received(HTTPURLResponse, Data, [StandardTransformer], timestamp: Date)
        case recovered(Entity<any Sendable>, url: URL?)
    }

    /// The content of a response as received.
    init(response: HTTPURLResponse, data: Data, transformers: [StandardTransformer]) {
        source = .received(response, data, transformers, timestamp: Date())
    }

    /// Content that `recover` put in a failure's place: it is what it is, no transformer changes it.
    init(recovered entity: Entity<any Sendable>, url: URL?) {
        source = .recovered(entity, url: url)
        self.entity = .success(entity)
    }

    /// The HTTP response, where there was one.
    var response: HTTPURLResponse? {
        if case .received(let response, _, _, _) = source { response } else { nil }
    }

    /// Whether nothing is left to be made for a need.
    func isReady(for need: Need) -> Bool {
        switch need {
        case .bytes: true
        case .json: json != nil
        case .text: text != nil
        case .entity: entity != nil
        case .more: false
        }
    }

    /// The response's head and its bytes as received.
    ///
    /// Recovered content has a 200 with the entity's headers for its head.
    func head() throws(ServiceError) -> (HTTPURLResponse, Data) {
        switch source {
        case .received(let response, let data, _, _): return (response, data)
        case .recovered(let entity, let url):
            let fields = Dictionary(entity.headers.map { ($0.name.rawValue, $0.value) }) { "\($0), \($1)" }
            guard let url = url ?? URL(string: "about:blank"),
                let response = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
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

    /// The body as JSON, whatever its content type.
    mutating func parsedJSON() throws(ServiceError) -> JSON {
        if let json { return try json.get() }
        let result = Result { () throws(ServiceError) in try parseJSON() }
        json = result
        return try result.get()
    }

    /// The body as text by its charset, whatever its content type.
    mutating func decodedText() throws(ServiceError) -> String {
        if let text { return try text.get() }
        let result = Result { () throws(ServiceError) in try decodeText() }
        text = result
        return try result.get()
    }

    /// The content that the standard transformers make of the body: the outcome of the task.
    mutating func transformedEntity() throws(ServiceError) -> Entity<any Sendable> {
        if let entity { return try entity.get() }
        let result = Result { () throws(ServiceError) in try transform() }
        entity = result
        return try result.get()
    }

    /// The outcome's content, where it is of the type asked for.
    mutating func content<Content>(as type: Content.Type) throws(ServiceError) -> Content {
        let content = try transformedEntity().content
        guard let content = content as? Content else { throw mismatch(expected: type, actual: content) }
        return content
    }

    /// The body decoded from JSON, whatever its content type. An empty body is nil for an optional type.
    mutating func decoded<Value: Decodable>(as type: Value.Type) throws(ServiceError) -> Value {
        if let optional = type as? any OptionalValue.Type, try bytes().isEmpty,
            let none = optional.absent as? Value
        {
            return none
        }
        let json = try parsedJSON()
        do {
            return try json.decode(type)
        } catch {
            throw failure(.undecodable, detail: "the JSON is not a \(type)", underlying: error)
        }
    }

    /// The error body: what the transformers make of it, or the raw bytes where they can't.
    mutating func errorEntity() -> Entity<any Sendable>? {
        (try? transformedEntity()) ?? rawEntity
    }

    /// The content as far as it has been made, without making more.
    var rawEntity: Entity<any Sendable>? {
        switch source {
        case .recovered(let entity, _): entity
        case .received(let response, let data, _, let timestamp):
            Entity(content: data, response: response, timestamp: timestamp)
        }
    }
}

extension ContentAdapter {
    private func parseJSON() throws(ServiceError) -> JSON {
        if case .recovered(let entity, _) = source, let json = entity.content as? JSON { return json }
        let data = try bytes()
        if data.isEmpty { throw failure(.emptyBody, detail: "there is no JSON in an empty body") }
        do {
            return try JSON(parsing: data)
        } catch {
            throw failure(.unparsable, detail: "the body is not JSON", underlying: error)
        }
    }

    private func decodeText() throws(ServiceError) -> String {
        do {
            return try TextDecoding.text(of: try bytes(), charset: mediaType?.charset)
        } catch let error as ServiceError {
            throw error
        } catch {
            throw failure(.unparsable, detail: "the body is not text", underlying: error)
        }
    }

    private mutating func transform() throws(ServiceError) -> Entity<any Sendable> {
        guard case .received(let response, let data, let transformers, let timestamp) = source else {
            throw failure(.noContent, detail: "there is no content")
        }
        let content: any Sendable =
            if data.isEmpty {
                data
            } else if let mediaType, mediaType.isJSON, transformers.contains(.json) {
                try parsedJSON()
            } else if let mediaType, mediaType.isText, transformers.contains(.text) {
                try decodedText()
            } else {
                data
            }
        return Entity(content: content, response: response, timestamp: timestamp)
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
