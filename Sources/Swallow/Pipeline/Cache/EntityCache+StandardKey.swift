import Foundation

extension EntityCache {
    /// Returns a key for a GET or HEAD request. Other methods have no key (RFC 9110 §9.2.3).
    ///
    /// The first line has the method and the URL without user info and fragment. A second line has a SHA-256 digest of
    /// `Accept`, `Accept-Language`, `Authorization`, `Cookie` and `Proxy-Authorization`, if any of them is set.
    ///
    /// The key doesn't include cookies that the data source adds. If your own field, such as `X-Auth-Token`,
    /// distinguishes users and the server doesn't name it in `Vary`, write a ``EntityCache/key(for:)`` that includes
    /// it.
    public func standardKey(for request: URLRequest) -> String? {
        StandardKey(request)?.text
    }
}

struct StandardKey {
    private static let names = [
        "accept", "accept-language", "authorization", "cookie", "proxy-authorization",
    ]
    private static let allNames = Set(names + ["cache-control"])

    private let target: String
    private let fields: [String: String]

    init?(_ request: URLRequest) {
        let method = request.httpMethod ?? "GET"
        guard method == "GET" || method == "HEAD", let url = request.url else { return nil }
        target = "\(method) \(url.absoluteString.withoutUserinfo.prefix { $0 != "#" })"
        fields = (request.allHTTPHeaderFields ?? [:]).named(Self.allNames)
    }

    var hasAuthorization: Bool { fields["authorization"] != nil }

    var forbidsStoring: Bool { CacheControl(fields["cache-control"]).has("no-store") }

    var text: String {
        let values = Self.names.map { HTTPSyntax.normalized(fields[$0], of: $0) }
        return values.allSatisfy { $0 == nil } ? target : "\(target)\n\(SHA256.hexDigest(of: values))"
    }
}

extension URLRequest {
    var hasUserinfo: Bool { url?.absoluteString.userinfo != nil }

    /// A digest of the URL's user info and host. `nil` if there is no user info.
    var userinfoDigest: String? {
        guard let text = url?.absoluteString, let userinfo = text.userinfo else { return nil }
        return SHA256.hexDigest(of: [String(userinfo), String(text.host(isReference: false))])
    }
}
