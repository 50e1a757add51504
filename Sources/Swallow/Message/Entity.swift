import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Content with what the server said about it.
public struct Entity<Content: Sendable>: Sendable {
    /// The content: the bytes, or what was made of them.
    public var content: Content
    /// When the content was received, or when the server last confirmed it.
    public var timestamp: Date
    /// Where the content comes from; ``EntityOrigin/network`` for content of the app's own.
    public internal(set) var origin: EntityOrigin
    /// Whether the content comes from an ``EntityCache`` instead of the network, confirmed by the server or not.
    public var isFromCache: Bool { origin != .network }

    private var fields: EntityFields
    /// How fresh a cache's response was when it was used.
    private var usedFreshness: UsedFreshness?

    private init(
        _ content: Content, _ fields: EntityFields, timestamp: Date, origin: EntityOrigin,
        _ freshness: UsedFreshness? = nil
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
    ///   - content: what handlers get.
    ///   - contentType: goes into the `Content-Type` header; nil, the default, leaves that as it is.
    ///   - headers: the head's fields; none by default.
    ///   - timestamp: when it came; now by default.
    public init(
        content: Content, contentType: String? = nil, headers: Headers = [:], timestamp: Date = Date()
    ) {
        var headers = headers
        if let contentType { headers[.contentType] = contentType }
        self.init(content, .given(headers, from: nil), timestamp: timestamp, origin: .network)
    }

    /// Makes an entity of content that came with a response.
    public init(content: Content, response: HTTPURLResponse, timestamp: Date = Date()) {
        self.init(content, .received(ResponseHead(response)), timestamp: timestamp, origin: .network)
    }

    init(
        content: Content, head: ResponseHead, timestamp: Date, origin: EntityOrigin,
        freshness: UsedFreshness? = nil
    ) {
        self.init(content, .received(head), timestamp: timestamp, origin: origin, freshness)
    }

    /// The header fields that came with the content.
    public var headers: Headers {
        get { fields.headers }
        set { fields = .given(newValue, from: fields.url) }
    }

    /// The status code of the response that the content came with (RFC 9110 §15); nil for content of the app's own.
    public var statusCode: Int? { fields.statusCode }

    /// How fresh the content was when it came, or when a cache's was used, by what the server said (RFC 9111 §4.2); nil for
    /// content of the app's own.
    public var freshness: Freshness? {
        if let usedFreshness { return usedFreshness.value }
        return fields.response.map { Freshness(of: $0, receivedAt: timestamp) }
    }

    /// How long ago the server had sent or confirmed the content when it came, or when a cache's was used
    /// (RFC 9111 §4.2.3); nil for content of the app's own.
    public var age: Duration? { freshness?.age }

    /// The validators by which the server can tell whether the content is still right; nil where there are none.
    var validators: Validators? {
        let headers = headers
        return Validators(entityTag: headers[.eTag], lastModified: headers[.lastModified], url: fields.url)
    }

    /// Whether an answer says that the content is still right.
    func isConfirmed(by answer: HTTPURLResponse) -> Bool { validators?.areConfirmed(by: answer) ?? false }

    /// The media type in lower case, without parameters, such as `application/json` (RFC 9110 §8.3.1).
    public var contentType: String? { mediaType?.name }

    /// The charset that the content type names, as it was written (RFC 9110 §8.3.2).
    public var charset: String? { mediaType?.charset }

    /// The content as JSON: bytes and text are parsed. ``JSON/missing`` for anything else.
    public var json: JSON {
        (try? parsedJSON()) ?? .missing
    }

    /// The content as text: bytes are decoded by the charset. Nil for anything else.
    public var text: String? {
        content is JSON ? nil : try? parsedText()
    }

    /// The same entity with other content.
    public func withContent<NewContent: Sendable>(_ content: NewContent) -> Entity<NewContent> {
        Entity<NewContent>(content, fields, timestamp: timestamp, origin: origin, usedFreshness)
    }

    var mediaType: MediaType? { fields.contentType.map(MediaType.init) }
}

/// Where the content of an ``Entity`` comes from.
public enum EntityOrigin: Sendable, Hashable {
    /// The server sent it.
    case network
    /// An ``EntityCache`` had it, and the server wasn't asked, or didn't answer.
    case cache
    /// It was there before, and the server has confirmed it (RFC 9110 §15.4.5).
    case revalidated
}

// MARK: - Parsing

extension Entity {
    /// The content as JSON; bytes and text are parsed.
    ///
    /// - Throws: `.emptyBody` or `.unparsable`; `.contentMismatch` for content that is none of these.
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

    /// The content as text; bytes are decoded by the charset, JSON is written.
    ///
    /// - Throws: `.unparsable`; `.contentMismatch` for content that is none of these.
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

    /// Whether the content is empty bytes or empty text.
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

/// How fresh a cache's response was when it was used. An object, so that it adds only a reference to an entity.
final class UsedFreshness: Sendable {
    let value: Freshness

    init(_ value: Freshness) {
        self.value = value
    }
}

/// Header fields, read from a response only when asked for: that costs a microsecond and more, and few ask.
private enum EntityFields: Sendable {
    /// Fields that were changed, or the app's own, which have no URL.
    case given(Headers, from: URL?)
    case received(ResponseHead)

    var headers: Headers {
        switch self {
        case .given(let headers, _): headers
        case .received(let head): Headers(head.response)
        }
    }

    /// Where the response came from.
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

extension Headers {
    /// The fields of a response, in the order of their names.
    public init(_ response: HTTPURLResponse) {
        self.init(response.fields)
    }
}

extension HTTPURLResponse {
    /// The fields as text, which `allHeaderFields` doesn't promise.
    var fields: [String: String] {
        Dictionary(allHeaderFields.map { ("\($0)", "\($1)") }) { first, _ in first }
    }
}

extension Entity: CustomStringConvertible {
    /// The content's type and what it begins with, for a log: `Entity<JSON>(application/json, {"id":1})`.
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
