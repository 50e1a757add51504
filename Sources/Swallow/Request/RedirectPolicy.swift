import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a data source handles redirects (RFC 9110 §15.4).
///
/// A redirect that is followed turns POST into GET for 301 and 302, and every method but HEAD for 303; 307 and
/// 308 keep method and body. To another origin (scheme, host, port) only `Accept`, `Accept-Language`,
/// `User-Agent`, a `Range` without `If-Range` and, with a body that is kept, the `Content-` fields travel on. Validators
/// that a cache or a resource has added, and the range of a download that resumes, aren't sent on: they belong to the
/// URL that they came from.
public struct RedirectPolicy: Sendable {
    private enum Form: Sendable {
        case doNotFollow
        case follow(max: Int, allowsDowngrade: Bool)
        case custom(@Sendable (HTTPURLResponse, URLRequest) -> URLRequest?)
    }

    private let form: Form

    /// Follows up to `max` redirects, 20 by default; one more ends in `URLError(.httpTooManyRedirects)`, and a
    /// location that is no HTTP URL in `URLError(.redirectToNonExistentLocation)`. Two locations end in
    /// `URLError(.badServerResponse)`, as they do with ``custom(_:)``.
    ///
    /// - Parameters:
    ///   - max: how many are followed.
    ///   - allowsDowngrade: whether `https` may lead to `http`; false by default, and then it ends in
    ///     `URLError(.appTransportSecurityRequiresSecureConnection)`.
    public static func follow(max: Int = 20, allowsDowngrade: Bool = false) -> RedirectPolicy {
        RedirectPolicy(form: .follow(max: max, allowsDowngrade: allowsDowngrade))
    }

    /// Follows no redirect: each is the task's response.
    public static let doNotFollow = RedirectPolicy(form: .doNotFollow)

    /// Asks a closure about each redirect to an HTTP URL, and follows up to 20. Any other redirect is the task's
    /// response.
    ///
    /// - Parameter decide: gets the redirect and the request that would follow it by the rules of ``RedirectPolicy``;
    ///   returns the request to send, or nil if the redirect is to be the task's response. It runs on a queue of the
    ///   data source's.
    public static func custom(
        _ decide: @escaping @Sendable (_ response: HTTPURLResponse, _ proposed: URLRequest) -> URLRequest?
    ) -> RedirectPolicy {
        RedirectPolicy(form: .custom(decide))
    }

    /// The request to send after a response.
    ///
    /// - Parameter count: how many redirects were followed before.
    /// - Returns: nil where the response is the final one.
    /// - Throws: where the redirect can't be followed.
    package func request(
        after response: HTTPURLResponse, to request: URLRequest, count: Int
    ) throws(URLError) -> URLRequest? {
        guard Self.isRedirect(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"), let url = request.url
        else { return nil }
        // A legal location has no space, so these are two fields, joined (RFC 9110 §10.2.2).
        let isAmbiguous = location.contains(", ")
        let proposed = Self.proposal(for: location, status: response.statusCode, after: request, from: url)
        switch form {
        case .doNotFollow: return nil
        case .custom(let decision):
            if isAmbiguous { throw URLError(.badServerResponse) }
            guard let proposed, let next = decision(response, proposed) else { return nil }
            if count >= 20 { throw URLError(.httpTooManyRedirects) }
            return next
        case .follow(let max, let allowsDowngrade):
            if isAmbiguous { throw URLError(.badServerResponse) }
            if count >= max { throw URLError(.httpTooManyRedirects) }
            guard let proposed else { throw URLError(.redirectToNonExistentLocation) }
            let isDowngrade =
                url.scheme?.lowercased() == "https" && proposed.url?.scheme?.lowercased() == "http"
            if isDowngrade, !allowsDowngrade {
                throw URLError(.appTransportSecurityRequiresSecureConnection)
            }
            return proposed
        }
    }

    package static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// The request that follows by the rules; nil where the location is no HTTP URL.
    private static func proposal(
        for location: String, status: Int, after request: URLRequest, from url: URL
    ) -> URLRequest? {
        guard !location.isEmpty, let target = URL(named: location, from: url), let origin = Origin(target)
        else { return nil }
        let method = request.httpMethod ?? "GET"
        let becomesGET =
            status == 303 ? method != "GET" && method != "HEAD" : status < 303 && method == "POST"
        var next = request
        next.url = target
        if becomesGET {
            next.httpMethod = "GET"
            next.httpBody = nil
            next.httpBodyStream = nil
        }
        let staysHome = Origin(url) == origin
        // Without its `If-Range`, which isn't sent on, the range could be of other content.
        let hasRangeCondition = request.value(forHTTPHeaderField: "If-Range") != nil
        for name in (request.allHTTPHeaderFields ?? [:]).keys {
            let lowercased = name.lowercased()
            let describesBody = lowercased.hasPrefix("content-") || lowercased == "transfer-encoding"
            let travels =
                describesBody
                ? !becomesGET
                : staysHome || travellingFields.contains(lowercased)
                    || lowercased == "range" && !hasRangeCondition
            // One by one: on Apple platforms, assigning allHTTPHeaderFields removes none.
            if !travels { next.setValue(nil, forHTTPHeaderField: name) }
        }
        return next
    }

    private static let travellingFields: Set<String> = ["accept", "accept-language", "user-agent"]
}
