import Foundation

/// The content of a response, with the response's header fields.
public struct Entity<Content: Sendable>: Sendable {
    /// The content, for example the bytes of the body or a value made from them.
    public var content: Content
    /// The time when the content was received, or when the server last confirmed it.
    public var timestamp: Date
    /// The origin of the content. An entity that the app creates has ``EntityOrigin/network``.
    public internal(set) var origin: EntityOrigin
    /// Whether the content was stored before, for example in an ``EntityCache``, even if the server has confirmed it.
    public var isFromCache: Bool { origin != .network }

    private let head: ResponseHead?
    /// The fields that the app has created or changed. Reading those of the head takes more than 1 µs.
    private var ownHeaders: Headers?
    private let usedFreshness: Freshness?

    init(
        content: Content, head: ResponseHead?, ownHeaders: Headers? = nil, timestamp: Date,
        origin: EntityOrigin, freshness: Freshness? = nil
    ) {
        self.content = content
        self.head = head
        self.ownHeaders = ownHeaders
        self.timestamp = timestamp
        self.origin = origin
        usedFreshness = freshness
    }

    /// Creates an entity with your own content, for ``ServiceTask/recover(_:)`` and tests. If `contentType` isn't
    /// `nil`, it replaces the `Content-Type` of `headers`. The content arrived at the `timestamp`, by default now.
    public init(
        content: Content, contentType: String? = nil, headers: Headers = [:], timestamp: Date = Date()
    ) {
        var headers = headers
        if let contentType { headers[.contentType] = contentType }
        self.init(content: content, head: nil, ownHeaders: headers, timestamp: timestamp, origin: .network)
    }

    /// Creates an entity with content from a response.
    public init(content: Content, response: HTTPURLResponse, timestamp: Date = Date()) {
        self.init(content: content, head: ResponseHead(response), timestamp: timestamp, origin: .network)
    }

    /// The header fields of the response. After a change, ``statusCode`` is `nil`.
    public var headers: Headers {
        get { ownHeaders ?? head.map { Headers($0.response) } ?? [:] }
        set { ownHeaders = newValue }
    }

    /// The status code of the response (RFC 9110 §15). `nil` if there is no response, or if ``headers`` was changed.
    public var statusCode: Int? { ownHeaders == nil ? head?.statusCode : nil }

    /// The freshness at the ``timestamp``, or when a cache served the content or had it confirmed (RFC 9111 §4.2). The
    /// fields of a 304 to the request of a `Resource` don't count. `nil` if unknown.
    public var freshness: Freshness? {
        if let usedFreshness { return usedFreshness }
        guard ownHeaders == nil, let head else { return nil }
        let directives = ResponseDirectives(head.response, receivedAt: timestamp)
        return Freshness(directives, age: directives.initialAge(after: 0))
    }

    /// The age at the time of ``freshness`` (RFC 9111 §4.2.3). `nil` if unknown.
    public var age: Duration? { freshness?.age }

    var validators: Validators? {
        let headers = headers
        return Validators(
            entityTag: headers[.eTag], lastModified: headers[.lastModified], url: head?.response.url)
    }

    func isConfirmed(by answer: HTTPURLResponse) -> Bool { validators?.areConfirmed(by: answer) ?? false }

    /// The media type in lowercase, without parameters, such as `application/json` (RFC 9110 §8.3.1). `nil` if unknown.
    public var contentType: String? { mediaType?.name }

    /// The charset in the content type, in its original spelling (RFC 9110 §8.3.2). `nil` if there is none.
    public var charset: String? { mediaType?.charset }

    /// The content as JSON, parsed if it is bytes or text. ``JSON/missing`` for other content, and if parsing fails.
    public var json: JSON {
        (try? parsedJSON()) ?? .missing
    }

    /// The content as text. Bytes are decoded with the charset. `nil` for other content, and if decoding fails.
    public var text: String? {
        content is JSON ? nil : try? parsedText()
    }

    /// Returns an entity with other content and the same fields.
    public func withContent<NewContent: Sendable>(_ content: NewContent) -> Entity<NewContent> {
        Entity<NewContent>(
            content: content, head: head, ownHeaders: ownHeaders, timestamp: timestamp, origin: origin,
            freshness: usedFreshness)
    }

    var mediaType: MediaType? {
        let field = ownHeaders.map { $0[.contentType] } ?? head?.contentType
        return field.map(MediaType.init)
    }
}

/// Whether an ``Entity``'s content is from the network or from a cache.
public enum EntityOrigin: Sendable, Hashable {
    /// The server sent the content, or the app created it.
    case network
    /// The content is from an ``EntityCache``, and the server didn't confirm it for this request.
    case cache
    /// The content was stored before, and the server has confirmed it, usually with a 304 (RFC 9110 §15.4.5).
    case revalidated
}

extension Entity {
    /// Returns the content as JSON. Throws `.unparsable`, `.emptyBody`, or `.contentMismatch` for other types.
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

    /// Returns bytes, text or JSON as text. Throws `.unparsable`, or `.contentMismatch` for other types.
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

extension Entity: CustomStringConvertible {
    /// The content type with an excerpt of the content, or with the number of bytes of `Data`. An example is
    /// `Entity<JSON>(application/json, {"id":1})`.
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
