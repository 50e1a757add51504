import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Content with what the server said about it.
public struct Entity<Content: Sendable>: Sendable {
    /// The content: the bytes, or what was made of them.
    public var content: Content
    /// The header fields that came with the content.
    public var headers: Headers
    /// When the content was received.
    public var timestamp: Date

    /// Makes an entity of content of your own, for ``ServiceTask/recover(_:)`` and tests.
    ///
    /// - Parameter contentType: goes into the `Content-Type` header.
    public init(
        content: Content, contentType: String? = nil, headers: Headers = [:], timestamp: Date = Date()
    ) {
        self.content = content
        self.headers = headers
        self.timestamp = timestamp
        if let contentType { self.headers[.contentType] = contentType }
    }

    /// Makes an entity of content that came with a response.
    public init(content: Content, response: HTTPURLResponse, timestamp: Date = Date()) {
        self.init(content: content, headers: Headers(response), timestamp: timestamp)
    }

    /// The media type in lower case, without parameters, such as `application/json` (RFC 9110 §8.3.1).
    public var contentType: String? { mediaType?.name }

    /// The charset that the content type names, as it was written (RFC 9110 §8.3.2).
    public var charset: String? { mediaType?.charset }

    /// The content as JSON: bytes and text are parsed. ``JSON/missing`` for anything else.
    public var json: JSON {
        switch content {
        case let json as JSON: json
        case let data as Data: (try? JSON(parsing: data)) ?? .missing
        case let text as String: (try? JSON(parsing: text)) ?? .missing
        default: .missing
        }
    }

    /// The content as text: bytes are decoded by the charset. Nil for anything else.
    public var text: String? {
        switch content {
        case let text as String: text
        case let data as Data: try? TextDecoding.text(of: data, charset: charset)
        default: nil
        }
    }

    private var mediaType: MediaType? { headers[.contentType].map(MediaType.init) }
}

extension Entity<any Sendable> {
    /// The same entity with other content.
    func withContent(_ content: any Sendable) -> Self {
        var entity = self
        entity.content = content
        return entity
    }
}

extension Headers {
    /// The fields of a response, in the order of their names.
    public init(_ response: HTTPURLResponse) {
        var dictionary: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            dictionary["\(name)"] = "\(value)"
        }
        self.init(dictionary)
    }
}
