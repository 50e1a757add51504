import Foundation

/// Content with the fields of its response.
public struct Entity<Content: Sendable>: Sendable {
    /// The content: the bytes, or a value made from them.
    public var content: Content
    /// The time when the content was received, or when the server last confirmed it.
    public var timestamp: Date
    /// The origin of the content. It is ``EntityOrigin/network`` for content from the app.
    public internal(set) var origin: EntityOrigin
    /// Whether the content comes from an ``EntityCache`` instead of the network, even if the server has confirmed it.
    public var isFromCache: Bool { origin != .network }

    private var fields: EntityFields
    private var usedFreshness: Freshness?

    private init(
        _ content: Content, _ fields: EntityFields, timestamp: Date, origin: EntityOrigin,
        _ freshness: Freshness? = nil
    ) {
        self.content = content
        self.fields = fields
        self.timestamp = timestamp
        self.origin = origin
        usedFreshness = freshness
    }

    /// Creates an entity with your own content, for ``ServiceTask/recover(_:)`` and tests.
    ///
    /// - Parameters:
    ///   - content: The content that handlers receive.
    ///   - contentType: The value of the `Content-Type` header. `nil`, the default, leaves the header unchanged.
    ///   - headers: The fields of the head. Empty by default.
    ///   - timestamp: The time of arrival, by default now.
    public init(
        content: Content, contentType: String? = nil, headers: Headers = [:], timestamp: Date = Date()
    ) {
        var headers = headers
        if let contentType { headers[.contentType] = contentType }
        self.init(content, .given(headers, from: nil), timestamp: timestamp, origin: .network)
    }

    /// Creates an entity with content from a response.
    public init(content: Content, response: HTTPURLResponse, timestamp: Date = Date()) {
        self.init(content, .received(ResponseHead(response)), timestamp: timestamp, origin: .network)
    }

    init(
        content: Content, head: ResponseHead, timestamp: Date, origin: EntityOrigin,
        freshness: Freshness? = nil
    ) {
        self.init(content, .received(head), timestamp: timestamp, origin: origin, freshness)
    }

    /// The header fields of the response.
    public var headers: Headers {
        get { fields.headers }
        set { fields = .given(newValue, from: fields.url) }
    }

    /// The status code of the response (RFC 9110 §15). `nil` for content from the app.
    public var statusCode: Int? { fields.statusCode }

    /// The freshness of the content when it arrived or when a cache served it, from the server's fields (RFC 9111
    /// §4.2). `nil` for content from the app.
    public var freshness: Freshness? {
        if let usedFreshness { return usedFreshness }
        return fields.response.map { Freshness(of: $0, receivedAt: timestamp) }
    }

    /// The time from when the server sent or confirmed the content until it arrived or a cache served it (RFC 9111
    /// §4.2.3). `nil` for content from the app.
    public var age: Duration? { freshness?.age }

    var validators: Validators? {
        let headers = headers
        return Validators(entityTag: headers[.eTag], lastModified: headers[.lastModified], url: fields.url)
    }

    func isConfirmed(by answer: HTTPURLResponse) -> Bool { validators?.areConfirmed(by: answer) ?? false }

    /// The media type in lowercase, without parameters, such as `application/json` (RFC 9110 §8.3.1).
    public var contentType: String? { mediaType?.name }

    /// The charset in the content type, as the server spelled it (RFC 9110 §8.3.2).
    public var charset: String? { mediaType?.charset }

    /// The content as JSON. Bytes and text are parsed. ``JSON/missing`` if that fails, or for other content.
    public var json: JSON {
        (try? parsedJSON()) ?? .missing
    }

    /// The content as text. Bytes are decoded with the charset. `nil` if that fails, or for other content.
    public var text: String? {
        content is JSON ? nil : try? parsedText()
    }

    /// Returns the entity with other content.
    public func withContent<NewContent: Sendable>(_ content: NewContent) -> Entity<NewContent> {
        Entity<NewContent>(content, fields, timestamp: timestamp, origin: origin, usedFreshness)
    }

    var mediaType: MediaType? { fields.contentType.map(MediaType.init) }
}

/// The origin of an ``Entity``'s content.
public enum EntityOrigin: Sendable, Hashable {
    /// The server sent it.
    case network
    /// An ``EntityCache`` had the content. The request wasn't sent, or the server didn't respond.
    case cache
    /// The content was already there, and the server has confirmed it (RFC 9110 §15.4.5).
    case revalidated
}

// MARK: - Parsing

extension Entity {
    /// Parses bytes and text. Throws `.emptyBody` or `.unparsable`, or `.contentMismatch` for other content.
    func parsedJSON() throws(ServiceError) -> JSON {
        do {
            switch content {
            case let json as JSON: return json
            case let data as Data where !data.isEmpty: return try JSON(parsing: data)
            case let text as String where !text.isEmpty: return try JSON(parsing: text)
            default: break
            }
        } catch {
            throw failure(.unparsable, "the body is not JSON", underlying: error)
        }
        if isEmpty { throw failure(.emptyBody, "there is no JSON in an empty body") }
        throw failure(.contentMismatch(expected: "JSON", actual: "\(type(of: content as Any))"))
    }

    /// Decodes bytes and serializes JSON. Throws `.unparsable`, or `.contentMismatch` for other content.
    func parsedText() throws(ServiceError) -> String {
        switch content {
        case let text as String: return text
        case let json as JSON: return String(decoding: json.data, as: UTF8.self)
        case let data as Data:
            do {
                return try TextDecoding.text(of: data, charset: charset)
            } catch {
                throw failure(.unparsable, "the body is not text", underlying: error)
            }
        default:
            throw failure(.contentMismatch(expected: "String", actual: "\(type(of: content as Any))"))
        }
    }

    var isEmpty: Bool {
        switch content {
        case let data as Data: data.isEmpty
        case let text as String: text.isEmpty
        default: false
        }
    }

    private func failure(
        _ reason: ServiceError.Reason, _ detail: String? = nil, underlying: (any Error)? = nil
    ) -> ServiceError {
        let body: any Sendable = content
        return ServiceError(
            reason, detail: detail, entity: withContent(body) as Entity<any Sendable>, underlying: underlying)
    }
}

extension Entity<any Sendable> {
    func withContent(_ content: any Sendable) -> Self {
        var entity = self
        entity.content = content
        return entity
    }
}
/// Fields are read from a response only when needed, because this takes over a microsecond and few callers need it.
private enum EntityFields: Sendable {
    /// Fields that were changed or set by the app. Fields set by the app have no URL.
    case given(Headers, from: URL?)
    case received(ResponseHead)

    var headers: Headers {
        switch self {
        case .given(let headers, _): headers
        case .received(let head): Headers(head.response)
        }
    }

    var url: URL? {
        switch self {
        case .given(_, let url): url
        case .received(let head): head.response.url
        }
    }

    var response: HTTPURLResponse? { if case .received(let head) = self { head.response } else { nil } }

    var statusCode: Int? {
        switch self {
        case .given: nil
        case .received(let head): head.statusCode
        }
    }

    var contentType: String? {
        switch self {
        case .given(let headers, _): headers[.contentType]
        case .received(let head): head.contentType
        }
    }
}

extension Entity: CustomStringConvertible {
    /// The content's type and its beginning, for a log: `Entity<JSON>(application/json, {"id":1})`.
    public var description: String {
        let text: String
        switch content {
        case let data as Data: text = "\(data.count) bytes"
        case let content: text = "\(content)"
        }
        let excerpt = text.prefix(200)
        let parts = [contentType ?? "", excerpt.count < text.count ? "\(excerpt)…" : text]
        return "Entity<\(Content.self)>(\(parts.filter { !$0.isEmpty }.joined(separator: ", ")))"
    }
}
