import Foundation

/// A response as an ``EntityCache`` stores it: the head, the bytes and, in memory, also the content.
///
/// The encoded form omits the content, the URL's user and password, and `Set-Cookie` fields. Without content, the
/// pipeline's stages run again.
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
    private(set) var directives: ResponseDirectives
    /// The age in seconds when the response arrived. `nil` if it is unknown.
    var initialAge: TimeInterval?
    /// Identifies the pipeline that made the content. Other pipelines don't use the content.
    package var contentOrigin: ContentOrigin?
    /// The last bytes, JSON and text from the pipeline up to the stage, which handlers receive.
    package var workingData: Data?
    var workingJSON: JSON?
    var workingText: String?
    /// Digests of the request's values for the fields named by `Vary`, by the lowercase names.
    package private(set) var selection: [String: String]
    private(set) var requestURL: URL?
    /// Whether redirects led to another URL. In this case, the fields don't state how long the redirects are valid.
    var isRedirected: Bool

    /// Creates a response to store.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - data: The body that the stage returned.
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
        let directives = ResponseDirectives(response, receivedAt: timestamp)
        self.init(
            head: ResponseHead(response), directives: directives, data: data, timestamp: timestamp,
            initialAge: directives.initialAge(
                after: requestTimestamp.map { timestamp.timeIntervalSince($0) } ?? 0),
            selection: Self.selection(
                of: names + (request.hasUserinfo ? [Self.userinfoName] : []), by: request),
            url: response.url, requestURL: request.url)
        self.content = content
    }

    init(
        head: ResponseHead, directives: ResponseDirectives, data: Data, timestamp: Date,
        initialAge: TimeInterval?, selection: [String: String], url: URL?, requestURL: URL?
    ) {
        self.head = head
        self.directives = directives
        self.data = data
        self.timestamp = timestamp
        self.initialAge = initialAge
        self.selection = selection
        self.requestURL = requestURL ?? url
        isRedirected = requestURL.flatMap { url?.isSameResource(as: $0) } == false
    }

    /// Returns whether a request has the same user info, and the same values for the fields in `Vary` (RFC 9111 §4.1).
    /// No request selects a response with `Vary: *`, or with `Vary: Cookie` if the data source adds the cookies.
    package func isSelected(by request: URLRequest) -> Bool {
        isSelectable && selection.allSatisfy { Self.digest(of: $0.key, in: request) == $0.value }
            && (selection[Self.userinfoName] != nil || !request.hasUserinfo)
    }

    /// Whether the server forbids caches to store the response with `Cache-Control: no-store` (RFC 9111 §5.2.2.5). With
    /// `must-understand`, caches may store it if they know its status code (§5.2.2.3).
    public var forbidsStoring: Bool { directives.forbidsStoring }

    /// The key of another response, if this entry only refers to that response.
    var reference: String? { selection[Self.referenceName] }

    /// Returns an entry that refers to this response, which is stored at a key. No request selects the entry.
    func referring(to key: String) -> CachedResponse {
        CachedResponse(
            head: head, directives: directives, data: Data(), timestamp: timestamp, initialAge: nil,
            selection: [Self.referenceName: key], url: nil, requestURL: requestURL)
    }

    // Neither name is a valid field name. The value of the second is a digest of the user info in the request's URL.
    private static let (referenceName, userinfoName) = ("=>", "@")

    var isSelectable: Bool { selection["*"] == nil }

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
