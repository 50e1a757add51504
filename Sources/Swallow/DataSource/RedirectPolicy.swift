import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a data source does with a redirect (RFC 9110 §15.4).
///
/// A redirect that is followed turns POST into GET for 301 and 302, and every method but HEAD for 303; 307 and
/// 308 keep method and body. To another origin (scheme, host, port) only `Accept`, `Accept-Language`,
/// `User-Agent`, `Range` and, with a body that is kept, the `Content-` fields travel on.
public struct RedirectPolicy: Sendable {
    /// Decides on a redirect: gets the response and the request that would follow it by the rules above; returns
    /// the request to send, or nil to take the response as it is.
    public typealias Decision = @Sendable (_ response: HTTPURLResponse, _ proposed: URLRequest) -> URLRequest?

    private let limit: Int
    private let allowsDowngrade: Bool
    private let decision: Decision

    /// Follows up to `max` redirects, 20 by default; one more ends in `URLError(.httpTooManyRedirects)`.
    ///
    /// - Parameter allowsDowngrade: whether `https` may lead to `http`; false by default, and then it ends in
    ///   `URLError(.appTransportSecurityRequiresSecureConnection)`.
    public static func follow(max: Int = 20, allowsDowngrade: Bool = false) -> RedirectPolicy {
        RedirectPolicy(limit: max, allowsDowngrade: allowsDowngrade) { _, proposed in proposed }
    }

    /// Takes each redirect as the response that it is.
    public static let doNotFollow = RedirectPolicy(limit: 0, allowsDowngrade: false) { _, _ in nil }

    /// Asks a closure about each redirect, up to 20 of them; it runs on a queue of the data source's.
    public static func custom(_ decision: @escaping Decision) -> RedirectPolicy {
        RedirectPolicy(limit: 20, allowsDowngrade: true, decision: decision)
    }

    /// The request to send after a response.
    ///
    /// - Parameter count: how many redirects were followed before.
    /// - Returns: nil where the response is the final one.
    /// - Throws: where the redirect can't be followed.
    func request(
        after response: HTTPURLResponse, to request: URLRequest, count: Int
    ) throws(URLError) -> URLRequest? {
        guard Self.isRedirect(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"), let origin = request.url,
            let proposed = try proposal(
                for: location, status: response.statusCode, after: request, from: origin),
            let next = decision(response, proposed)
        else { return nil }
        if count >= limit { throw URLError(.httpTooManyRedirects) }
        if !allowsDowngrade, origin.scheme?.lowercased() == "https", next.url?.scheme?.lowercased() == "http"
        {
            throw URLError(.appTransportSecurityRequiresSecureConnection)
        }
        return next
    }

    private static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    private func proposal(
        for location: String, status: Int, after request: URLRequest, from url: URL
    ) throws(URLError) -> URLRequest? {
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL, let origin = Origin(target)
        else {
            throw URLError(.redirectToNonExistentLocation)
        }
        var next = request
        next.url = target
        let method = request.httpMethod ?? "GET"
        let becomesGET =
            status == 303 ? method != "GET" && method != "HEAD" : status < 303 && method == "POST"
        if becomesGET {
            next.httpMethod = "GET"
            next.httpBody = nil
        }
        let staysHome = Origin(url) == origin
        next.allHTTPHeaderFields = request.allHTTPHeaderFields?.filter { name, _ in
            let name = name.lowercased()
            let describesBody = name.hasPrefix("content-") || name == "transfer-encoding"
            return describesBody ? !becomesGET : staysHome || Self.travellingFields.contains(name)
        }
        return next
    }

    private static let travellingFields: Set<String> = ["accept", "accept-language", "user-agent", "range"]
}
