import Foundation

extension PipelineAdapter {
    /// The entity for an error: the pipeline's content if it has any, otherwise the unprocessed entity.
    var errorEntity: Entity<any Sendable> {
        if case .success(let entity)? = results.output { entity } else { rawEntity }
    }

    /// The content that a handler or `recover` returned, the model that a transformer returned, or a download's URL.
    var model: (any Sendable)? {
        guard case .success(let entity)? = results.output else { return nil }
        switch source {
        case .recovered, .file: return entity.content
        case .received, .rejected, .failed: break
        }
        if case .handler? = results.maker { return entity.content }
        let isUnmodelled = entity.content is Data || entity.content is String || entity.content is JSON
        return results.data == nil || isUnmodelled ? nil : entity.content
    }

    func headAndBytes() throws(ServiceError) -> (HTTPURLResponse, Data) { (try successHead(), try bytes()) }

    /// Returns the response's head. For recovered content, creates one with status 200 and the entity's header fields.
    func successHead() throws(ServiceError) -> HTTPURLResponse {
        if let head { return head }
        guard case .recovered(let entity, let url?, _) = source,
            let head = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: entity.headers.combined)
        else { throw ServiceError(.invalidResponse, detail: "the response's head can't be created") }
        return head
    }

    func bytes() throws(ServiceError) -> Data {
        if let response { return response.data }
        return try (results.loadedBytes ?? loadBytes()).get()
    }

    /// Returns the body's bytes. Blocks while it reads a file or encodes recovered content.
    func loadBytes() -> Result<Data, ServiceError> {
        Result { () throws(ServiceError) in
            switch source {
            case .received(let response), .rejected(let response, _): response.data
            case .failed(let error): throw error
            case .file(let url, let head, _): try Self.contents(ofFile: url, of: head)
            case .recovered(let entity, _, let encoding): try entity.encodedBody(encoding)
            }
        }
    }

    /// - Throws: `.transport` if the file can't be read, or if it has more bytes than the limit, by default 256 MiB.
    static func contents(
        ofFile url: URL, of head: HTTPURLResponse, limit: Int = ResponseSize.standardLimit
    ) throws(ServiceError) -> Data {
        let data: Data
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            // One more byte shows that the file is too large, even if the file is growing.
            data = try file.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw ServiceError(
                .transport(URLError(.cannotOpenFile)), detail: "\(url.path) can't be read", response: head,
                underlying: error)
        }
        if data.count <= limit { return data }
        let error = ResponseSize.error(over: limit, url: head.url)
        throw ServiceError(.transport(error), response: head, underlying: error)
    }

    func json() throws(ServiceError) -> JSON {
        guard let json = prepared(for: .json).results.json else { return .missing }
        return try json.get()
    }

    func text() throws(ServiceError) -> String {
        guard let text = prepared(for: .text).results.text else { return "" }
        return try text.get()
    }

    func entity() throws(ServiceError) -> Entity<any Sendable> {
        guard let output = prepared(for: .entity).results.output else { return rawEntity }
        return try output.get()
    }

    func decodedJSON<Value: Decodable>(as type: Value.Type) throws(ServiceError) -> Value {
        if let optional = type as? any OptionalValue.Type, hasEmptyBody,
            let absent = optional.absent as? Value
        {
            return absent
        }
        return try decodingJSON("the JSON can't be decoded as \(type)") {
            try $0.decode(type, options: plan.jsonDecoding)
        }
    }

    /// Returns a value decoded from JSON, or recovered content that already has the type.
    func decodedJSON<Value>(with decoding: Decoding<Value>) throws(ServiceError) -> Value {
        if case .recovered = source, let value = model as? Value { return value }
        return try decodingJSON("the JSON can't be decoded as \(Value.self)") { json in
            try JSON.DecodingOptions.reading(by: plan.ownDecoding) { try decoding.value(from: json) }
        }
    }

    private var hasEmptyBody: Bool { hasBytes && (try? bodyEntity())?.isEmpty ?? false }

    private func decodingJSON<Value>(
        _ detail: @autoclosure () -> String, _ decode: (JSON) throws -> Value
    ) throws(ServiceError) -> Value {
        let json = try json()
        do {
            return try decode(json)
        } catch {
            throw failure(.undecodable, detail: detail(), underlying: error)
        }
    }

    func mismatch(expected: Any.Type, actual: any Sendable) -> ServiceError {
        let reason = ServiceError.Reason.contentMismatch(
            expected: "\(expected)", actual: "\(type(of: actual))")
        let isDecodable = actual is JSON && expected is any Decodable.Type
        let hint = isDecodable ? ", use decoded(as: \(expected).self) instead" : ""
        return plan.explained(failure(reason, detail: "the content isn't of type \(expected)\(hint)"), maker)
    }

    private func failure(
        _ reason: ServiceError.Reason, detail: String, underlying: (any Error)? = nil
    ) -> ServiceError {
        ServiceError(
            reason, detail: detail, response: head, entity: prepared(for: .entity).errorEntity,
            underlying: underlying)
    }
}

/// An optional type. Other types that accept a `nil` literal, such as ``JSON``, don't conform.
private protocol OptionalValue {
    static var absent: Any { get }
}

extension Optional: OptionalValue {
    fileprivate static var absent: Any { Self.none as Any }
}

/// Finds a value of a type in a response. The value is the content if it has this type, otherwise the body's bytes, or
/// a value that is decoded from the body. A policy may permit only some of these.
struct ContentPolicy: Sendable {
    private enum Decoded { case never, unlessModelOrText, always }

    private var takesParsed = false
    private var givesBytes = false
    private var decoded = Decoded.always

    static let content = ContentPolicy(takesParsed: true, decoded: .never)
    static let contentOrBody = ContentPolicy(
        takesParsed: true, givesBytes: true, decoded: .unlessModelOrText)
    static let body = ContentPolicy()
    static let future = ContentPolicy(givesBytes: true)
    static let resource = ContentPolicy(takesParsed: true, givesBytes: true)

    /// - Parameter decode: Decodes the body. Returns `nil` if the type isn't `Decodable`.
    fileprivate func find<Value>(
        _ type: Value.Type, in adapter: PipelineAdapter, decode: () throws(ServiceError) -> Value?
    ) throws(ServiceError) -> Value {
        if let model = adapter.model, let value = model as? Value { return value }
        if takesParsed, let parsed = try parsedContent(of: adapter), let value = parsed as? Value {
            return value
        }
        if givesBytes, type == Data.self, let bytes = try adapter.bytes() as? Value { return bytes }
        if try mayDecode(adapter), let value = try decode() { return value }
        throw adapter.mismatch(expected: type, actual: try adapter.entity().content)
    }

    /// Returns the pipeline's content, or `nil` if the pipeline failed and `decoded` is `.always`.
    private func parsedContent(of adapter: PipelineAdapter) throws(ServiceError) -> (any Sendable)? {
        do throws(ServiceError) {
            return try adapter.entity().content
        } catch {
            if case .always = decoded { return nil }
            throw error
        }
    }

    private func mayDecode(_ adapter: PipelineAdapter) throws(ServiceError) -> Bool {
        switch decoded {
        case .never: return false
        case .always: return true
        case .unlessModelOrText:
            let content = try adapter.entity().content
            return content is JSON || content is Data || adapter.isFile
        }
    }
}

extension PipelineAdapter {
    func decodableValue<Value: Decodable>(
        as type: Value.Type, by policy: ContentPolicy
    ) throws(ServiceError) -> Value {
        try policy.find(type, in: self) { () throws(ServiceError) in try decodedJSON(as: type) }
    }

    func value<Value>(as type: Value.Type, by policy: ContentPolicy) throws(ServiceError) -> Value {
        try policy.find(type, in: self) { () throws(ServiceError) in
            guard let decodable = type as? any Decodable.Type else { return nil }
            return try decodedJSON(as: decodable) as? Value
        }
    }
}

extension Entity<any Sendable> {
    init<Value: Sendable>(recovered value: Value) {
        switch value {
        case let entity as any ErasableEntity: self = entity.erased
        case is Void: self.init(content: Data())
        default: self.init(content: value)
        }
    }

    fileprivate func encodedBody(_ encoding: JSON.EncodingOptions) throws(ServiceError) -> Data {
        switch content {
        case let data as Data: return data
        case let text as String: return Data(text.utf8)
        case let json as JSON: return json.data
        case let value as any Encodable:
            do {
                return try encoding.data(of: value)
            } catch {
                throw ServiceError(
                    .thrown, detail: "the recovered \(type(of: value)) can't be encoded as JSON",
                    entity: self, underlying: error)
            }
        case let other:
            throw ServiceError(
                .contentMismatch(expected: "Data", actual: "\(type(of: other))"),
                detail: "the recovered \(type(of: other)) isn't Encodable, so it has no body", entity: self)
        }
    }
}

private protocol ErasableEntity {
    var erased: Entity<any Sendable> { get }
}

extension Entity: ErasableEntity {
    fileprivate var erased: Entity<any Sendable> { withContent(content) }
}
