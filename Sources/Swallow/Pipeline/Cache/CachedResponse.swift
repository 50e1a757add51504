import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response as an ``EntityCache`` stores it: the head, the bytes and, in memory, also the content.
///
/// The encoded form has the head, the bytes and the timestamp, but no content. Without content, the pipeline's stages
/// run again. The encoded form also omits the URL's user and password, and `Set-Cookie` fields.
public struct CachedResponse: Sendable {
    /// The head: URL, status code and header fields.
    public var response: HTTPURLResponse {
        get { head.response }
        set {
            head = ResponseHead(newValue)
            directives = ResponseDirectives(newValue, receivedAt: timestamp)
        }
    }
    /// The body as received.
    public var data: Data
    /// The content that the stage made from the body. `nil` after decoding.
    public var content: (any Sendable)?
    /// The time when the response was received, or when the server last confirmed it.
    public var timestamp: Date

    private(set) var head: ResponseHead
    /// The rules in the head for reusing the response.
    private(set) var directives: ResponseDirectives
    /// The age of the response at its arrival, in seconds. If it is `nil`, the age is unknown and the response isn't
    /// fresh.
    var initialAge: TimeInterval?
    /// Identifies the pipeline that made the content. Other pipelines don't use the content.
    package var contentOrigin: ContentOrigin?
    /// The last bytes from the pipeline up to the stage. `nil` stands for the body as received.
    package var workingData: Data?
    /// The last JSON and the last text from the pipeline up to the stage, which handlers receive.
    var workingJSON: JSON?
    var workingText: String?
    /// Digests of the request's values for the fields named by `Vary`, by the lowercase names.
    package private(set) var selection: [String: String]
    /// The URL that was requested. Redirects may have led to another URL.
    private(set) var requestURL: URL?
    /// Whether redirects led to another URL. In this case, the fields don't state how long the redirects are valid.
    var isRedirected: Bool

    /// Creates a response to store.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - data: The body, as the stage has it.
    ///   - content: The content made from the body, for caches in memory. The default is `nil`.
    ///   - timestamp: The time of arrival, by default now.
    ///   - requestTimestamp: The time of the request (RFC 9111 §4.2.3). `nil`, the default, stands for `timestamp`.
    ///   - request: The request. Its values for the fields that the response's `Vary` names determine which requests
    ///     the response can serve (RFC 9111 §4.1).
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
        initialAge = directives.initialAge(
            after: requestTimestamp.map { timestamp.timeIntervalSince($0) } ?? 0)
    }

    init(
        response: HTTPURLResponse, data: Data, content: (any Sendable)? = nil, timestamp: Date,
        selection: [String: String], requestURL: URL? = nil, initialAge: TimeInterval? = nil
    ) {
        self.init(
            head: ResponseHead(response), directives: ResponseDirectives(response, receivedAt: timestamp),
            url: response.url, data: data, timestamp: timestamp, selection: selection,
            requestURL: requestURL, initialAge: initialAge)
        self.content = content
    }

    /// Creates a response from the text of its head.
    init(
        _ head: CachedResponseHead, url: URL, data: Data, timestamp: Date, selection: [String: String],
        requestURL: URL?, initialAge: TimeInterval?
    ) {
        self.init(
            head: ResponseHead(head, url: url),
            directives: ResponseDirectives(
                status: head.statusCode, fields: head.headers, receivedAt: timestamp),
            url: url, data: data, timestamp: timestamp, selection: selection, requestURL: requestURL,
            initialAge: initialAge)
    }

    private init(
        head: ResponseHead, directives: ResponseDirectives, url: URL?, data: Data, timestamp: Date,
        selection: [String: String], requestURL: URL?, initialAge: TimeInterval?
    ) {
        self.head = head
        self.data = data
        self.timestamp = timestamp
        self.selection = selection
        self.requestURL = requestURL ?? url
        self.initialAge = initialAge
        self.directives = directives
        isRedirected = requestURL.flatMap { url?.isSameResource(as: $0) } == false
    }

    /// Returns whether a request selects this response. The request must have the user info that the response was
    /// requested with, and the same values for the fields in `Vary` (RFC 9110 §12.5.5, RFC 9111 §4.1). No request
    /// selects a response with `Vary: *`, or a response with `Vary: Cookie` if the data source adds the cookies,
    /// because they aren't known here.
    package func isSelected(by request: URLRequest) -> Bool {
        isSelectable && selection.allSatisfy { Self.digest(of: $0.key, in: request) == $0.value }
            && (selection[Self.userinfoName] != nil || !request.hasUserinfo)
    }

    /// Whether the server forbids caches to store the response with `Cache-Control: no-store` (RFC 9111 §5.2.2.5). With
    /// `must-understand`, caches may store it if they know its status code (§5.2.2.3).
    public var forbidsStoring: Bool { directives.forbidsStoring }

    /// The key of another response, if this entry only refers to that response.
    var reference: String? { selection[Self.referenceName] }

    /// Returns an entry that refers to this response, which is stored at a key. The entry has no body, and no request
    /// selects it.
    func referring(to key: String) -> CachedResponse {
        CachedResponse(
            response: response, data: Data(), timestamp: timestamp,
            selection: [Self.referenceName: key], requestURL: requestURL)
    }

    // Neither name is a valid field name. The value of the second is a digest of the user info in the request's URL.
    private static let (referenceName, userinfoName) = ("=>", "@")

    /// Whether any request can select the response.
    var isSelectable: Bool { selection["*"] == nil }

    /// Returns the values that a request has in the fields that select this response.
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

    /// Returns `nil` if the data source determines the value that is sent.
    private static func digest(of name: String, in request: URLRequest) -> String? {
        if name == userinfoName { return request.userinfoDigest ?? "absent" }
        guard let value = request.value(forHTTPHeaderField: name) else {
            return name == "cookie" && request.httpShouldHandleCookies ? nil : "absent"
        }
        return SHA256.hexDigest(of: HTTPSyntax.normalized(value, of: name) ?? value)
    }
}

/// Identifies the pipeline that made a stored response's content. A reference to the pipeline itself would create a
/// cycle, because the pipeline holds the cache and the cache holds the content.
package final class ContentOrigin: Sendable {
    package init() {}
}
