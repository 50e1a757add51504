import Foundation

extension EntityCache {
    /// Returns a key for a GET or HEAD request. Other methods have no key (RFC 9110 §9.2.3).
    ///
    /// The first line has the method and the URL without user info and fragment. A second line has a SHA-256 digest of
    /// `Accept`, `Accept-Language`, `Authorization`, `Cookie` and `Proxy-Authorization`, if any of them is set.
    ///
    /// The key excludes cookies that the data source adds. If your own field, such as `X-Auth-Token`, distinguishes
    /// users and the server doesn't name it in `Vary`, write a ``EntityCache/key(for:)`` that includes it.
    public func standardKey(for request: URLRequest) -> String? {
        StandardKey(request)?.text
    }
}

struct StandardKey {
    private static let names = [
        "accept", "accept-language", "authorization", "cookie", "proxy-authorization",
    ]
    private static let allNames = Set(names + ["cache-control"])
    private static let namesOfCredentials = ["authorization", "cookie", "proxy-authorization"]

    private let target: String
    private let fields: [String: String]

    init?(_ request: URLRequest) {
        let method = request.httpMethod ?? "GET"
        guard method == "GET" || method == "HEAD", let url = request.url else { return nil }
        target = "\(method) \(url.absoluteString.withoutUserinfo.withoutFragment)"
        fields = (request.allHTTPHeaderFields ?? [:]).named(Self.allNames)
    }

    var hasAuthorization: Bool { fields["authorization"] != nil }

    var forbidsStoring: Bool { CacheControl(fields["cache-control"]).has("no-store") }

    var text: String { text(with: digest) }

    func text(reusing latest: LatestDigest) -> String { text(with: latest.digest(of: self)) }

    private func text(with digest: String?) -> String { digest.map { "\(target)\n\($0)" } ?? target }

    private var digest: String? {
        let values = Self.names.map { HTTPSyntax.normalized(fields[$0], of: $0) }
        return values.allSatisfy { $0 == nil } ? nil : SHA256.hexDigest(of: values)
    }

    /// The digest of the latest request without credentials. Most requests to a service have the same fields, and
    /// computing a digest for each request took a quarter of the time of a cache hit.
    final class LatestDigest: Sendable {
        private let latest = Lock<(fields: [String: String], digest: String?)?>(nil)

        fileprivate func digest(of key: StandardKey) -> String? {
            if namesOfCredentials.contains(where: { key.fields[$0] != nil }) { return key.digest }
            if let latest = latest.withLock({ $0 }), latest.fields == key.fields { return latest.digest }
            let digest = key.digest
            latest.withLock { $0 = (key.fields, digest) }
            return digest
        }
    }
}

extension URLRequest {
    var hasUserinfo: Bool { url?.absoluteString.userinfo != nil }

    /// A digest of the URL's user info, host and port. `nil` if there is no user info.
    var userinfoDigest: String? {
        guard let text = url?.absoluteString, let userinfo = text.userinfo else { return nil }
        return SHA256.hexDigest(of: [String(userinfo), String(text.host(isReference: false))])
    }
}
