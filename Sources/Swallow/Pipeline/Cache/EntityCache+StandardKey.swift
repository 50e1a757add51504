import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension EntityCache {
    /// A key made of the request's method, its URL without the fragment, and the header fields that select a
    /// representation or a user: `Accept`, `Accept-Language`, `Authorization`, `Cookie` and `Proxy-Authorization`.
    ///
    /// It is text that stays the same from run to run: method and URL and, in another line, a SHA-256 digest of the
    /// fields and of the URL's user and password, where there are any. It
    /// is nil for methods other than `GET` and `HEAD`, whose responses no request may be given again without
    /// asking the server (RFC 9110 §9.2.3), and for a request without a URL. Fields that a `URLSession` adds
    /// on its own, such as those of its cookie storage, aren't part of the request and so not of the key. Where a
    /// field of the app's own, such as `X-Auth-Token`, tells users apart, and the server doesn't name it in `Vary`,
    /// give each user a cache, or write a ``EntityCache/key(for:)`` that has the field in it.
    public func standardKey(for request: URLRequest) -> String? {
        let method = request.httpMethod ?? "GET"
        guard method == "GET" || method == "HEAD", let url = request.url else { return nil }
        let text = url.absoluteString
        let hasUser = text.utf8.contains(UInt8(ascii: "@")) && text.withoutUserinfo != text
        let target = (hasUser ? text.withoutUserinfo : text).prefix { $0 != "#" }
        let names = ["Accept", "Accept-Language", "Authorization", "Cookie", "Proxy-Authorization"]
        let values =
            names.map { HTTPSyntax.normalized(request.value(forHTTPHeaderField: $0), of: $0) } + [
                hasUser ? text : nil
            ]
        if values.allSatisfy({ $0 == nil }) { return "\(method) \(target)" }
        return "\(method) \(target)\n\(SHA256.hexDigest(of: values))"
    }
}

extension URLRequest {
    /// Whether the request asks caches to keep nothing of the exchange (RFC 9111 §5.2.1.5).
    var forbidsStoring: Bool {
        CacheControl(value(forHTTPHeaderField: "Cache-Control")).has("no-store")
    }

    /// Whether the request asks for the server's word on what a cache has (RFC 9111 §5.2.1.4).
    var asksServer: Bool {
        CacheControl(value(forHTTPHeaderField: "Cache-Control")).has("no-cache")
    }
}
