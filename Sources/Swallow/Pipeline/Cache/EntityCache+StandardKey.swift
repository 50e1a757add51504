import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension EntityCache {
    /// Returns a key from the request's method, its URL without user info and fragment, and the header fields that
    /// select a representation or a user: `Accept`, `Accept-Language`, `Authorization`, `Cookie` and
    /// `Proxy-Authorization`.
    ///
    /// The key is text that stays the same from run to run. It has the method and the URL and, if the request has any
    /// of these fields, a second line with their SHA-256 digest. A response to a request with user info in its URL is
    /// served only to requests with the same user info, although the key omits it.
    ///
    /// The key is `nil` for a request without a URL, and for methods other than `GET` and `HEAD`, because their
    /// responses must not be served again without the server (RFC 9110 §9.2.3). Fields that a `URLSession` adds, such
    /// as cookies from its cookie storage, aren't part of the request, so they aren't part of the key.
    ///
    /// If the app's own field, such as `X-Auth-Token`, distinguishes users and the server doesn't name it in `Vary`,
    /// use a separate cache for each user, or write a ``EntityCache/key(for:)`` that includes the field.
    public func standardKey(for request: URLRequest) -> String? {
        StandardKey(request)?.text { $0.line }
    }
}

/// The parts of a ``EntityCache/standardKey(for:)``.
struct StandardKey {
    private let method: String
    private let url: String
    private let fields: KeyFields
    /// The request's `Cache-Control`.
    let cacheControl: String?

    /// Returns `nil` for a request that has no key.
    init?(_ request: URLRequest) {
        method = request.httpMethod ?? "GET"
        guard method == "GET" || method == "HEAD", let url = request.url else { return nil }
        let plain = url.absoluteString.withoutUserinfo
        self.url = plain.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(plain[..<$0]) } ?? plain
        var fields = KeyFields()
        var cacheControl: String?
        // One pass finds all fields, because on Linux each lookup goes through all of them.
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            switch name.utf8.count {
            case 13 where name.lowercased() == "cache-control": cacheControl = value
            case 6, 13, 15, 19: fields.take(name.lowercased(), value)
            default: break
            }
        }
        (self.fields, self.cacheControl) = (fields, cacheControl)
    }

    var hasAuthorization: Bool { fields.authorization != nil }

    /// Whether the request forbids caches to store its response (RFC 9111 §5.2.1.5).
    var forbidsStoring: Bool { cacheControl.map { CacheControl($0).has("no-store") } ?? false }

    func text(_ line: (KeyFields) -> String) -> String {
        fields == KeyFields() ? "\(method) \(url)" : "\(method) \(url)\n\(line(fields))"
    }
}

/// The header fields that select a representation or a user.
struct KeyFields: Equatable, Sendable {
    private var accept: String?
    private var acceptLanguage: String?
    fileprivate private(set) var authorization: String?
    private var cookie: String?
    private var proxyAuthorization: String?

    fileprivate mutating func take(_ name: String, _ value: String) {
        switch name {
        case "accept": accept = value
        case "accept-language": acceptLanguage = value
        case "authorization": authorization = value
        case "cookie": cookie = value
        case "proxy-authorization": proxyAuthorization = value
        default: break
        }
    }

    /// The second line of a key.
    var line: String {
        SHA256.hexDigest(of: [
            HTTPSyntax.normalized(accept, of: "Accept"),
            HTTPSyntax.normalized(acceptLanguage, of: "Accept-Language"),
            HTTPSyntax.normalized(authorization, of: "Authorization"),
            HTTPSyntax.normalized(cookie, of: "Cookie"),
            HTTPSyntax.normalized(proxyAuthorization, of: "Proxy-Authorization"),
        ])
    }

    /// Whether a field identifies a user. Its value may be a secret.
    private var tellsUser: Bool {
        authorization != nil || cookie != nil || proxyAuthorization != nil
    }

    /// Remembers the line for the latest request's fields, because most requests of a service have the same fields.
    /// Fields that identify a user aren't remembered.
    final class Memo: Sendable {
        private let latest = Lock<(fields: KeyFields, line: String)?>(nil)

        func line(_ fields: KeyFields) -> String {
            if fields.tellsUser { return fields.line }
            if let known = latest.withLock({ $0?.fields == fields ? $0?.line : nil }) { return known }
            let line = fields.line
            latest.withLock { $0 = (fields, line) }
            return line
        }
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
