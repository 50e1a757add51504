import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response's tag and date. By them a server can say whether the response that a client has is still right (RFC 9110
/// §8.8, §13.1).
struct Validators: Sendable {
    let entityTag: String?
    let lastModified: String?
    /// The URL that the response came from, for which alone the validators hold; nil where that isn't known.
    let url: URL?

    /// Nil where there is neither tag nor date.
    init?(entityTag: String?, lastModified: String?, url: URL?) {
        if entityTag == nil, lastModified == nil { return nil }
        (self.entityTag, self.lastModified, self.url) = (entityTag, lastModified, url)
    }

    init?(of response: HTTPURLResponse) {
        self.init(
            entityTag: response.value(forHTTPHeaderField: "ETag"),
            lastModified: response.value(forHTTPHeaderField: "Last-Modified"), url: response.url)
    }

    /// The request fields that hold validators.
    static let conditions = ["If-None-Match", "If-Modified-Since"]
    /// The fields that make a request conditional.
    static let allConditions = conditions + ["If-Match", "If-Unmodified-Since", "If-Range"]

    /// The request with these validators, which ask whether the response is still right; nil where it has conditions of
    /// its own, or another URL.
    func asked(by request: URLRequest) -> URLRequest? {
        if request.hasConditions { return nil }
        if let url, let other = request.url, !url.isSameResource(as: other) { return nil }
        var request = request
        request.setValue(entityTag, forHTTPHeaderField: "If-None-Match")
        request.setValue(lastModified, forHTTPHeaderField: "If-Modified-Since")
        return request
    }

    /// Whether an answer says that the response is still right: a 304 of the same URL with the same validators, or none
    /// (RFC 9111 §4.3.4).
    func areConfirmed(by answer: HTTPURLResponse) -> Bool {
        guard answer.statusCode == 304 else { return false }
        if let url, answer.url.map(url.isSameResource) != true { return false }
        return match(answer)
    }

    /// Whether another response has the same validators, or none (RFC 9110 §8.8.3.2, the weak comparison).
    func match(_ other: HTTPURLResponse) -> Bool {
        if let tag = other.value(forHTTPHeaderField: "ETag") {
            return entityTag.map(Self.opaqueTag) == Self.opaqueTag(tag)
        }
        guard let date = other.value(forHTTPHeaderField: "Last-Modified") else { return true }
        return lastModified.map { $0 == date } ?? true
    }

    /// The same validators, with a URL unless theirs is known.
    func of(_ url: URL?) -> Validators {
        Validators(entityTag: entityTag, lastModified: lastModified, url: self.url ?? url) ?? self
    }

    func haveFields(of other: Validators) -> Bool {
        entityTag == other.entityTag && lastModified == other.lastModified
    }

    /// A tag without its mark of weakness (RFC 9110 §8.8.3).
    static func opaqueTag(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}

extension URLRequest {
    /// The request that bypasses the transport's own cache, `URLCache` say, unless the caller has set a cache policy:
    /// only one cache should answer.
    var withoutTransportCache: URLRequest {
        guard cachePolicy == .useProtocolCachePolicy else { return self }
        var request = self
        request.cachePolicy = .reloadIgnoringLocalCacheData
        return request
    }

    /// Whether the request asks for an answer under a condition (RFC 9110 §13.1).
    var hasConditions: Bool {
        Validators.allConditions.contains { value(forHTTPHeaderField: $0) != nil }
    }

    var withoutValidators: URLRequest {
        var request = self
        request.removeValidators()
        return request
    }

    /// Removes the fields that ``Validators`` add.
    mutating func removeValidators() {
        for name in Validators.conditions { setValue(nil, forHTTPHeaderField: name) }
    }
}

extension Request {
    /// The request without the conditions that its headers make.
    var withoutConditions: Request {
        var request = self
        for name in Validators.allConditions { request.headers[Headers.Name(name)] = nil }
        return request
    }
}
