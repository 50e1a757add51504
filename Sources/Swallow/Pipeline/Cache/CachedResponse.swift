import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response as an ``EntityCache`` keeps it: the head, the bytes, and in memory also what was made of them.
///
/// Encoded, it holds the head, the bytes and the timestamp, but no content; where there is none, the
/// pipeline's stages run again. Nor does it hold the URL's user and password, or `Set-Cookie` fields.
public struct CachedResponse: Sendable {
    /// The head: URL, status code and header fields.
    public var response: HTTPURLResponse {
        get { head.response }
        set {
            head = ResponseHead(newValue)
            terms = CacheTerms(newValue, receivedAt: timestamp)
        }
    }
    /// The body as received.
    public var data: Data
    /// What the stage made of the body; nil after decoding.
    public var content: (any Sendable)?
    /// When the response was received, or when the server last confirmed it.
    public var timestamp: Date

    private(set) var head: ResponseHead
    /// What the head says about the use of the response.
    private(set) var terms: CacheTerms
    /// How old it was when it came, in seconds; nil where that isn't known. Then it isn't fresh.
    var initialAge: TimeInterval?
    /// The pipeline that made the content: for another it doesn't count.
    package var contentOrigin: ContentOrigin?
    /// The last bytes that came out of the pipeline up to the stage; nil stands for the body as received.
    package var workingData: Data?
    /// The last JSON, and the last text, that came out of the pipeline up to the stage: what handlers are given.
    var workingJSON: JSON?
    var workingText: String?
    /// Digests of the values that the request had in the fields named by `Vary`, by the names in lower case.
    package private(set) var selection: [String: String]
    /// What was asked for; redirects may have led elsewhere.
    private(set) var requestURL: URL?
    /// Whether redirects led elsewhere: then it says nothing of how long the redirects hold.
    var isRedirected: Bool

    /// Makes a cached response.
    ///
    /// - Parameters:
    ///   - response: the head.
    ///   - data: the body, as the stage has it.
    ///   - content: what was made of it, for caches in memory; nil by default.
    ///   - timestamp: when it came; now by default.
    ///   - requestTimestamp: when it was asked for (RFC 9111 §4.2.3); nil, the default, stands for `timestamp`.
    ///   - request: what was asked; its values of the fields that the response's `Vary` names decide which requests the
    ///     response can answer (RFC 9111 §4.1).
    public init(
        response: HTTPURLResponse, data: Data, content: (any Sendable)? = nil, timestamp: Date = Date(),
        requestTimestamp: Date? = nil, for request: URLRequest
    ) {
        let names = response.value(forHTTPHeaderField: "Vary").map(HTTPSyntax.elements) ?? []
        self.init(
            response: response, data: data, content: content, timestamp: timestamp,
            selection: Self.selection(
                of: names + (request.hasUserinfo ? [Self.userinfoName] : []), by: request),
            requestURL: request.url)
        initialAge = terms.initialAge(after: requestTimestamp.map { timestamp.timeIntervalSince($0) } ?? 0)
    }

    init(
        response: HTTPURLResponse, data: Data, content: (any Sendable)? = nil, timestamp: Date,
        selection: [String: String], requestURL: URL? = nil, initialAge: TimeInterval? = nil
    ) {
        self.init(
            head: ResponseHead(response), terms: CacheTerms(response, receivedAt: timestamp),
            url: response.url, data: data, timestamp: timestamp, selection: selection,
            requestURL: requestURL, initialAge: initialAge)
        self.content = content
    }

    /// Makes a response from the text of its head.
    init(
        _ head: CachedResponseHead, url: URL, data: Data, timestamp: Date, selection: [String: String],
        requestURL: URL?, initialAge: TimeInterval?
    ) {
        self.init(
            head: ResponseHead(head, url: url),
            terms: CacheTerms(status: head.statusCode, fields: head.headers, receivedAt: timestamp),
            url: url, data: data, timestamp: timestamp, selection: selection, requestURL: requestURL,
            initialAge: initialAge)
    }

    private init(
        head: ResponseHead, terms: CacheTerms, url: URL?, data: Data, timestamp: Date,
        selection: [String: String], requestURL: URL?, initialAge: TimeInterval?
    ) {
        self.head = head
        self.data = data
        self.timestamp = timestamp
        self.selection = selection
        self.requestURL = requestURL ?? url
        self.initialAge = initialAge
        self.terms = terms
        isRedirected = requestURL.flatMap { url?.isSameResource(as: $0) } == false
    }

    /// Whether a request has the user info that the response was requested with, and the values that `Vary` asks for (RFC
    /// 9110 §12.5.5, RFC 9111 §4.1). No request selects a response with `Vary: *`, nor one with `Vary: Cookie` if the transport
    /// adds the cookies, which aren't known here.
    package func isSelected(by request: URLRequest) -> Bool {
        isSelectable && selection.allSatisfy { Self.digest(of: $0.key, in: request) == $0.value }
            && (selection[Self.userinfoName] != nil || !request.hasUserinfo)
    }

    /// Whether the server asks caches to keep nothing of the response: `Cache-Control: no-store` (RFC 9111 §5.2.2.5), unless
    /// `must-understand` beside it lets those that know its status keep it (§5.2.2.3).
    public var forbidsStoring: Bool { terms.forbidsStoring }

    /// The key of another response, if this entry does nothing but refer to it.
    var reference: String? { selection[Self.referenceName] }

    /// An entry that refers to this response, which is kept under a key. It has no body, and no request selects it.
    func referring(to key: String) -> CachedResponse {
        CachedResponse(
            response: response, data: Data(), timestamp: timestamp,
            selection: [Self.referenceName: key], requestURL: requestURL)
    }

    // Both names are no field's. The value of the second is a digest of the user info in the request's URL.
    private static let (referenceName, userinfoName) = ("=>", "@")

    /// Whether there are requests that select the response.
    var isSelectable: Bool { selection["*"] == nil }

    /// The values that a request has in the fields that select this response.
    func selection(by request: URLRequest) -> [String: String] {
        Self.selection(of: Array(selection.keys), by: request)
    }

    private static func selection(of names: [String], by request: URLRequest) -> [String: String] {
        var selection: [String: String] = [:]
        for name in names {
            guard let digest = digest(of: name, in: request) else { return ["*": "unknown"] }
            selection[name] = digest
        }
        return selection
    }

    /// Nil where the transport decides what is sent.
    private static func digest(of name: String, in request: URLRequest) -> String? {
        if name == userinfoName { return request.userinfoDigest ?? "absent" }
        guard let value = request.value(forHTTPHeaderField: name) else {
            return name == "cookie" && request.httpShouldHandleCookies ? nil : "absent"
        }
        return SHA256.hexDigest(of: HTTPSyntax.normalized(value, of: name) ?? value)
    }
}

/// Identifies the pipeline that made a cached response's content, by its own identity. A reference to the pipeline
/// itself would be a cycle: the pipeline holds the cache, which holds the content.
package final class ContentOrigin: Sendable {
    package init() {}
}

// MARK: - As text

extension CachedResponse: Codable {
    private enum CodingKeys: CodingKey {
        case url, statusCode, headers, selection, timestamp, data, age
    }

    /// Decodes a response without content.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let head = CachedResponseHead(
            url: try container.decode(String.self, forKey: .url),
            statusCode: try container.decode(Int.self, forKey: .statusCode),
            headers: try container.decode([String: String].self, forKey: .headers))
        guard let response = head.response else {
            throw DecodingError.dataCorruptedError(
                forKey: .url, in: container, debugDescription: "this is not the head of a response")
        }
        self.init(
            response: response,
            data: try container.decode(Data.self, forKey: .data),
            timestamp: try container.decode(Date.self, forKey: .timestamp),
            selection: try container.decode([String: String].self, forKey: .selection),
            initialAge: try container.decodeIfPresent(TimeInterval.self, forKey: .age))
    }

    /// Encodes the head, the bytes and the timestamp, but not the content.
    ///
    /// - Throws: an `EncodingError` for a response without a URL.
    public func encode(to encoder: any Encoder) throws {
        guard let head = CachedResponseHead(response) else {
            throw EncodingError.invalidValue(
                response, .init(codingPath: encoder.codingPath, debugDescription: "the response has no URL"))
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(head.url, forKey: .url)
        try container.encode(head.statusCode, forKey: .statusCode)
        try container.encode(head.headers, forKey: .headers)
        try container.encode(selection, forKey: .selection)
        try container.encode(timestamp, forKey: .timestamp)
        try container.encode(data, forKey: .data)
        try container.encodeIfPresent(initialAge, forKey: .age)
    }
}

/// An `HTTPURLResponse` as text and numbers.
struct CachedResponseHead: Sendable {
    var url: String
    var statusCode: Int
    var headers: [String: String]

    init(url: String, statusCode: Int, headers: [String: String]) {
        self.url = url
        self.statusCode = statusCode
        self.headers = headers
    }

    /// Nil for a response without a URL, which couldn't be made again. User, password and `Set-Cookie`, which
    /// reading the response doesn't need, are left out.
    init?(_ response: HTTPURLResponse) {
        guard let url = response.url?.absoluteString else { return nil }
        self.url = url.withoutUserinfo
        statusCode = response.statusCode
        headers = response.fields.filter { $0.key.lowercased() != "set-cookie" }
    }

    var response: HTTPURLResponse? { URL(string: url).map(response) }

    func response(from url: URL) -> HTTPURLResponse {
        // Foundation refuses none with a status of HTTP's, which is checked where an entry is read.
        HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headers)!
    }
}

extension ResponseHead {
    /// The head that a cache has as text: on Linux 12 µs of a hit go into an `HTTPURLResponse`, which few look at.
    fileprivate init(_ head: CachedResponseHead, url: URL) {
        self.init(statusCode: head.statusCode) {
            head.headers["Content-Type"]
                ?? head.headers.first { $0.key.lowercased() == "content-type" }?.value
        } making: {
            head.response(from: url)
        }
    }
}
