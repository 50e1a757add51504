import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response as an ``EntityCache`` keeps it: the head, the bytes, and in memory also what was made of them.
///
/// Encoded, it holds the head, the bytes and the timestamp, but no content; where there is none, the
/// pipeline's stages run again.
public struct CachedResponse: Sendable {
    /// The head: URL, status code and header fields.
    public var response: HTTPURLResponse
    /// The body as received.
    public var data: Data
    /// What the stage made of the body; nil after decoding.
    public var content: (any Sendable)?
    /// When the response was received, or when the server last confirmed it.
    public var timestamp: Date

    /// The pipeline that made the content: for another it doesn't count.
    package var contentOrigin: ContentOrigin?
    /// The last bytes that came out of the pipeline up to the stage; nil stands for the body as received.
    package var workingData: Data?
    /// The last JSON, and the last text, that came out of the pipeline up to the stage: what handlers are given.
    var workingJSON: JSON?
    var workingText: String?
    /// Digests of the values that the request had in the fields named by `Vary`, by the names in lower case.
    package private(set) var selection: [String: String]

    /// Makes a cached response.
    ///
    /// - Parameter request: what was asked; its values of the fields that the response's `Vary` names decide
    ///   which requests the response can answer (RFC 9111 §4.1).
    public init(
        response: HTTPURLResponse, data: Data, content: (any Sendable)? = nil, timestamp: Date = Date(),
        for request: URLRequest
    ) {
        let names = response.value(forHTTPHeaderField: "Vary").map(CacheControl.elements) ?? []
        self.init(
            response: response, data: data, content: content, timestamp: timestamp,
            selection: Self.selection(of: names, by: request))
    }

    init(
        response: HTTPURLResponse, data: Data, content: (any Sendable)? = nil, timestamp: Date,
        selection: [String: String]
    ) {
        self.response = response
        self.data = data
        self.content = content
        self.timestamp = timestamp
        self.selection = selection
    }

    /// Whether a request has the values that `Vary` asks for (RFC 9110 §12.5.5, RFC 9111 §4.1). A response
    /// with `Vary: *` is selected by none.
    public func isSelected(by request: URLRequest) -> Bool {
        isSelectable && selection.allSatisfy { Self.digest(of: $0.key, in: request) == $0.value }
    }

    /// Whether the server asks caches to keep nothing of the response: `Cache-Control: no-store`
    /// (RFC 9111 §5.2.2.5).
    public var forbidsStoring: Bool {
        CacheControl.hasNoStore(response.value(forHTTPHeaderField: "Cache-Control"))
    }

    /// Whether there are requests that select the response.
    var isSelectable: Bool { selection["*"] == nil }

    /// The values that a request has in the fields that select this response.
    func selection(by request: URLRequest) -> [String: String] {
        Self.selection(of: Array(selection.keys), by: request)
    }

    private static func selection(of names: [String], by request: URLRequest) -> [String: String] {
        Dictionary(names.map { ($0, digest(of: $0, in: request)) }, uniquingKeysWith: { first, _ in first })
    }

    private static func digest(of name: String, in request: URLRequest) -> String {
        guard let value = request.value(forHTTPHeaderField: name) else { return "absent" }
        return SHA256.hexDigest(of: String(CacheControl.trimmed(value[...])))
    }
}
