import Foundation

/// A response that an ``EntityCache`` stores: the head, the body and, in memory, also the pipeline's content.
///
/// The encoded form omits the content, the URL's user and password, and `Set-Cookie`. After decoding, the pipeline's
/// stages make the content again.
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
    /// The content that the pipeline made from the body. `nil` if there is none, for example in a decoded response.
    public var content: (any Sendable)?
    /// The time when the response was received, or when the server last confirmed it.
    public var timestamp: Date

    private(set) var head: ResponseHead
    private(set) var directives: ResponseDirectives
    /// The age in seconds when the response arrived or was confirmed. `nil` if it is unknown.
    var initialAge: TimeInterval?
    package var contentOrigin: ContentOrigin?
    /// The bytes, JSON and text after the cache's stage. The later stages start with them.
    package var workingData: Data?
    var workingJSON: JSON?
    var workingText: String?
    /// Digests of the request's values for the `Vary` fields, or `absent`, by lowercase name. Some keys aren't fields.
    package private(set) var selection: [String: String]
    private(set) var requestURL: URL?
    /// Whether redirects led to another URL. The response's fields don't state how long the redirects are valid.
    var isRedirected: Bool

    /// Creates a response to store.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - data: The body as received.
    ///   - content: The content, for caches in memory. The default is `nil`.
    ///   - timestamp: The time of arrival. The default is the current time.
    ///   - requestTimestamp: The time of the request (RFC 9111 §4.2.3). The default, `nil`, means the time of arrival.
    ///   - request: The request. Its values for the fields in `Vary` determine which requests match (RFC 9111 §4.1).
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

    /// Returns whether a request has the user info and the values for the fields in `Vary` that the original request
    /// had (RFC 9111 §4.1). No request matches `Vary: *`, or `Vary: Cookie` if the data source adds the cookies.
    package func isSelected(by request: URLRequest) -> Bool {
        isSelectable && selection.allSatisfy { Self.digest(of: $0.key, in: request) == $0.value }
            && (selection[Self.userinfoName] != nil || !request.hasUserinfo)
    }

    /// Whether `Cache-Control: no-store` forbids caches to store the response (RFC 9111 §5.2.2.5). With
    /// `must-understand`, only a status code that isn't cacheable by default forbids it (§5.2.2.3).
    public var forbidsStoring: Bool { directives.forbidsStoring }

    var reference: String? { selection[Self.referenceName] }

    /// Returns an entry that only refers to the key of this response. No request matches the entry itself.
    func referring(to key: String) -> CachedResponse {
        CachedResponse(
            head: head, directives: directives, data: Data(), timestamp: timestamp, initialAge: nil,
            selection: [Self.referenceName: key], url: nil, requestURL: requestURL)
    }

    // Two keys of `selection` that aren't field names, for the key of another entry and for a digest of the user info.
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

    /// Returns text that identifies a field's value in a request, or `nil` for cookies that the data source adds.
    private static func digest(of name: String, in request: URLRequest) -> String? {
        if name == userinfoName { return request.userinfoDigest ?? "absent" }
        guard let value = request.value(forHTTPHeaderField: name) else {
            return name == "cookie" && request.httpShouldHandleCookies ? nil : "absent"
        }
        return SHA256.hexDigest(of: HTTPSyntax.normalized(value, of: name) ?? value)
    }
}

/// Identifies the pipeline that made a response's content. A reference to the pipeline would be part of a cycle.
package final class ContentOrigin: Sendable {
    package init() {}
}
