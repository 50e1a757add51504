import Foundation

/// A response's entity tag and date. With them, the server can check whether the client's response is unchanged (RFC
/// 9110 §8.8, §13.1).
struct Validators: Sendable {
    let entityTag: String?
    let lastModified: String?
    /// The URL of the response, which is the only URL that the validators apply to. `nil` if it isn't known.
    let url: URL?

    /// Returns `nil` if there is neither an entity tag nor a date.
    init?(entityTag: String?, lastModified: String?, url: URL?) {
        if entityTag == nil, lastModified == nil { return nil }
        (self.entityTag, self.lastModified, self.url) = (entityTag, lastModified, url)
    }

    init?(of response: HTTPURLResponse) {
        self.init(
            entityTag: response.value(forHTTPHeaderField: "ETag"),
            lastModified: response.value(forHTTPHeaderField: "Last-Modified"), url: response.url)
    }

    /// The request fields that contain validators.
    static let conditions = ["If-None-Match", "If-Modified-Since"]
    /// All fields that make a request conditional.
    static let allConditions = conditions + ["If-Match", "If-Unmodified-Since", "If-Range"]

    /// Returns the request with these validators, so that the server checks whether the response is unchanged. Returns
    /// `nil` if the request has its own conditions or another URL.
    func added(to request: URLRequest) -> URLRequest? {
        if request.hasConditions { return nil }
        if let url, let other = request.url, !url.isSameResource(as: other) { return nil }
        var request = request
        request.setValue(entityTag, forHTTPHeaderField: "If-None-Match")
        request.setValue(lastModified, forHTTPHeaderField: "If-Modified-Since")
        return request
    }

    /// Returns whether a response confirms that the stored response is unchanged. It must be a 304 of the same URL with
    /// the same validators, or without validators (RFC 9111 §4.3.4).
    func areConfirmed(by answer: HTTPURLResponse) -> Bool {
        guard answer.statusCode == 304 else { return false }
        if let url, answer.url.map(url.isSameResource) != true { return false }
        return match(answer)
    }

    /// Returns whether another response has the same validators, or none (RFC 9110 §8.8.3.2, weak comparison).
    func match(_ other: HTTPURLResponse) -> Bool {
        if let tag = other.value(forHTTPHeaderField: "ETag") {
            return entityTag.map(Self.opaqueTag) == Self.opaqueTag(tag)
        }
        guard let date = other.value(forHTTPHeaderField: "Last-Modified") else { return true }
        return lastModified.map { $0 == date } ?? true
    }

    /// Returns the validators with a URL, unless they already have one.
    func of(_ url: URL?) -> Validators {
        Validators(entityTag: entityTag, lastModified: lastModified, url: self.url ?? url) ?? self
    }

    /// Returns an entity tag without its weakness indicator (RFC 9110 §8.8.3).
    static func opaqueTag(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}

extension URLRequest {
    /// Whether the request is conditional (RFC 9110 §13.1).
    var hasConditions: Bool {
        Validators.allConditions.contains { value(forHTTPHeaderField: $0) != nil }
    }

    /// Removes the fields that ``Validators`` adds.
    mutating func removeValidators() {
        for name in Validators.conditions { setValue(nil, forHTTPHeaderField: name) }
    }
}
