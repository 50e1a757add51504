import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension EntityCache {
    /// A key made of the request's method, its URL without the fragment, and the header fields that select a
    /// representation or a user: `Accept`, `Accept-Language`, `Authorization` and `Cookie`.
    ///
    /// It is text that stays the same from run to run. Header values are in it only as a SHA-256 digest. It
    /// is nil for methods other than `GET` and `HEAD`, whose responses no request may be given again without
    /// asking the server (RFC 9110 §9.2.3), and for a request without a URL. Fields that a `URLSession` adds
    /// on its own, such as those of its cookie storage, aren't part of the request and so not of the key. Where a
    /// field of the app's own, such as `X-Auth-Token`, tells users apart, and the server doesn't name it in `Vary`,
    /// give each user a cache, or write a ``EntityCache/key(for:)`` that has the field in it.
    public func standardKey(for request: URLRequest) -> String? {
        let method = request.httpMethod ?? "GET"
        guard method == "GET" || method == "HEAD", let url = request.url else { return nil }
        let target = url.absoluteString.prefix { $0 != "#" }
        let names = ["Accept", "Accept-Language", "Authorization", "Cookie"]
        let values = names.map { request.value(forHTTPHeaderField: $0) }
        if values.allSatisfy({ $0 == nil }) { return "\(method) \(target)" }
        return "\(method) \(target) \(SHA256.hexDigest(of: values))"
    }
}

extension URLRequest {
    /// Whether the request asks caches to keep nothing of the exchange (RFC 9111 §5.2.1.5).
    var forbidsStoring: Bool {
        CacheControl.hasNoStore(value(forHTTPHeaderField: "Cache-Control"))
    }
}
