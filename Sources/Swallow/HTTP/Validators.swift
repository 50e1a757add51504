import Foundation

/// A response's entity tag and modification date, to check whether it has changed (RFC 9110 §8.8, §13.1).
struct Validators: Sendable {
    let entityTag: String?
    let lastModified: String?
    /// The URL of the response, which is the only URL that the validators apply to. `nil` if it isn't known.
    let url: URL?

    init?(entityTag: String?, lastModified: String?, url: URL?) {
        if entityTag == nil, lastModified == nil { return nil }
        (self.entityTag, self.lastModified, self.url) = (entityTag, lastModified, url)
    }

    init?(of response: HTTPURLResponse) {
        self.init(
            entityTag: response.value(forHTTPHeaderField: "ETag"),
            lastModified: response.value(forHTTPHeaderField: "Last-Modified"), url: response.url)
    }

    /// The header fields by which a cache asks the server to validate a stored response.
    static let conditions = ["If-None-Match", "If-Modified-Since"]
    static let allConditions = conditions + ["If-Match", "If-Unmodified-Since", "If-Range"]

    /// Returns the request with these validators, or `nil` if the request has its own conditions or another URL.
    func added(to request: URLRequest) -> URLRequest? {
        if request.hasConditions { return nil }
        if let url, let other = request.url, !url.isSameResource(as: other) { return nil }
        var request = request
        request.setValue(entityTag, forHTTPHeaderField: "If-None-Match")
        request.setValue(lastModified, forHTTPHeaderField: "If-Modified-Since")
        return request
    }

    /// Returns whether a response is a 304 without other validators, from the ``url`` if it is known (RFC 9111 §4.3.4).
    func areConfirmed(by answer: HTTPURLResponse) -> Bool {
        guard answer.statusCode == 304 else { return false }
        if let url, answer.url.map(url.isSameResource) != true { return false }
        return match(answer)
    }

    /// Returns whether the validators of another response, if any, match (RFC 9110 §8.8.3.2, weak comparison).
    func match(_ other: HTTPURLResponse) -> Bool {
        if let tag = other.value(forHTTPHeaderField: "ETag") {
            return entityTag.map(Self.opaqueTag) == Self.opaqueTag(tag)
        }
        guard let date = other.value(forHTTPHeaderField: "Last-Modified") else { return true }
        return lastModified.map { $0 == date } ?? true
    }

    /// Returns the validators with this URL, unless they already have a URL.
    func of(_ url: URL?) -> Validators {
        Validators(entityTag: entityTag, lastModified: lastModified, url: self.url ?? url) ?? self
    }

    /// Returns an entity tag without its weakness indicator (RFC 9110 §8.8.3).
    static func opaqueTag(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}

extension URLRequest {
    var hasConditions: Bool {
        Validators.allConditions.contains { value(forHTTPHeaderField: $0) != nil }
    }

    mutating func removeValidators() {
        for name in Validators.conditions { setValue(nil, forHTTPHeaderField: name) }
    }
}
