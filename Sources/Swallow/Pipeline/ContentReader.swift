import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Reads one response for a handler. Uses what the handler's need has prepared; makes the rest on demand, and doesn't
/// keep it.
struct ContentReader: Sendable {
    let content: ResponseContent

    /// The response's head and its bytes as received.
    ///
    /// For recovered content, the head has status 200 and the entity's header fields.
    func headAndBytes() throws(ServiceError) -> (HTTPURLResponse, Data) { (try head(), try bytes()) }

    /// The response's head; doesn't read a body in a file.
    func head() throws(ServiceError) -> HTTPURLResponse {
        switch content.source {
        case .received(let response): return response.head
        case .file(let file): return file.head
        case .recovered(let recovered):
            let fields = recovered.entity.headers.combined
            guard let url = recovered.url,
                let head = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
            else { throw ServiceError(.invalidResponse, detail: "no response head can be made") }
            return head
        }
    }

    /// The bytes as received. For recovered content, these are the bytes of a response body with this content.
    func bytes() throws(ServiceError) -> Data {
        switch content.source {
        case .received(let response): return response.data
        case .file(let file): return try file.data()
        case .recovered(let recovered): return try recovered.data()
        }
    }

    /// The body as JSON, whatever its content type.
    func json() throws(ServiceError) -> JSON {
        guard let json = content.making(.json).json else { return .missing }
        return try json.get()
    }

    /// The body as text by its charset, whatever its content type.
    func text() throws(ServiceError) -> String {
        guard let text = content.making(.text).text else { return "" }
        return try text.get()
    }

    /// The pipeline's content: the outcome of the task.
    func entity() throws(ServiceError) -> Entity<any Sendable> {
        guard let entity = content.making(.entity).result(of: .entity) else { return content.rawEntity }
        return try entity.get()
    }

    /// The body decoded from JSON, whatever its content type. No content is nil for an optional type.
    func decoded<Value: Decodable>(as type: Value.Type) throws(ServiceError) -> Value {
        if let optional = type as? any OptionalValue.Type, content.parsableEntity.isEmpty,
            let absent = optional.absent as? Value
        {
            return absent
        }
        return try undecodable("the JSON is no \(type)", json()) {
            try $0.decode(type, options: content.plan.jsonDecoding)
        }
    }

    /// The body read from JSON by a decoding, whatever its content type. A recovered value of the decoding's type is
    /// returned unchanged.
    func decoded<Value>(with decoding: Decoding<Value>) throws(ServiceError) -> Value {
        if case .recovered = content.source, let value = content.model as? Value { return value }
        return try undecodable("the JSON is no \(Value.self)", json()) { json in
            try JSON.DecodingOptions.reading(by: content.plan.ownDecoding) { try decoding.value(from: json) }
        }
    }

    private func undecodable<Value>(
        _ detail: @autoclosure () -> String, _ json: JSON, _ decode: (JSON) throws -> Value
    ) throws(ServiceError) -> Value {
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
        let hint = isDecodable ? "; use decoded(as: \(expected).self)" : ""
        let error = failure(reason, detail: "the content is no \(expected)\(hint)")
        return content.plan.explained(error, content.maker)
    }

    private func failure(
        _ reason: ServiceError.Reason, detail: String, underlying: (any Error)? = nil
    ) -> ServiceError {
        let entity = content.making(.entity).errorEntity
        return ServiceError(
            reason, detail: detail, response: content.head, entity: entity, underlying: underlying)
    }
}

/// An optional type, as opposed to others that take `nil` literals, such as ``JSON``.
private protocol OptionalValue {
    static var absent: Any { get }
}

extension Optional: OptionalValue {
    fileprivate static var absent: Any { Self.none as Any }
}

// MARK: - Values of a type

/// How a value of a type is found in a response, the same for all who ask.
///
/// The rows are tried from the top; the first that fits gives the value:
///
/// | | `content` | `contentOrBody` | `body` | `future` | `resource` |
/// |---|---|---|---|---|---|
/// | who asks | `responseContent`, `content(as:)` | `transform`, `entity(as:)` | `responseDecoded`, `decoded(as:)` | futures | resources |
/// | a model of the type, a download's `URL` | taken | taken | taken | taken | taken |
/// | parsed content of the type: `JSON`, `String`, `Data` | taken | taken | – | – | taken |
/// | `Data` | – | bytes as received | – | bytes as received | bytes as received |
/// | no content, and the type is optional | – | nil | nil | nil | nil |
/// | `Decodable`, content not a model | – | decoded, but not from text | decoded | decoded | decoded |
/// | `Decodable`, content a model of another type | – | – | decoded | decoded | decoded |
/// | anything else | `.contentMismatch` | `.contentMismatch` | – | – | `.contentMismatch` |
///
/// A model is what a transformer made that is neither `JSON`, `String` nor `Data`, what a task's `transform` made, or what
/// `recover` gave. Only the latter is also taken by `responseDecoded(with:)` and `decoded(with:)`. Decoding reads JSON, whatever the content type, and ends in `.emptyBody`, `.unparsable` or `.undecodable`.
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

    /// Finds a value.
    ///
    /// - Parameter decode: decodes the body; nil where the type isn't `Decodable`.
    fileprivate func value<Value>(
        as type: Value.Type, in reader: ContentReader, decode: () throws(ServiceError) -> Value?
    ) throws(ServiceError) -> Value {
        if let model = reader.content.model, let value = model as? Value { return value }
        if takesParsed, let parsed = try parsed(in: reader), let value = parsed as? Value { return value }
        if givesBytes, type == Data.self, let bytes = try reader.bytes() as? Value { return bytes }
        if try mayDecode(reader), let value = try decode() { return value }
        throw reader.mismatch(expected: type, actual: try reader.entity().content)
    }

    /// The pipeline's content. Where it can't be made, nil if the body can still be decoded.
    private func parsed(in reader: ContentReader) throws(ServiceError) -> (any Sendable)? {
        do throws(ServiceError) {
            return try reader.entity().content
        } catch {
            if case .always = decoded { return nil }
            throw error
        }
    }

    private func mayDecode(_ reader: ContentReader) throws(ServiceError) -> Bool {
        switch decoded {
        case .never: return false
        case .always: return true
        case .unlessModelOrText:
            let content = try reader.entity().content
            return content is JSON || content is Data || reader.content.isFile
        }
    }
}

extension ContentReader {
    /// The response's content as a value of a type.
    func value<Value: Decodable>(as type: Value.Type, by policy: ContentPolicy) throws(ServiceError) -> Value
    {
        try policy.value(as: type, in: self) { () throws(ServiceError) in try decoded(as: type) }
    }

    /// The response's content as a value of a type, which need not be `Decodable`.
    @_disfavoredOverload
    func value<Value>(as type: Value.Type, by policy: ContentPolicy) throws(ServiceError) -> Value {
        try policy.value(as: type, in: self) { () throws(ServiceError) in
            guard let decodable = type as? any Decodable.Type else { return nil }
            return try decoded(as: decodable) as? Value
        }
    }
}
