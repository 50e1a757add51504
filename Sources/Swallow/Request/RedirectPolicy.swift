import Foundation

/// The rules by which a data source handles redirects (RFC 9110 §15.4).
///
/// When a redirect is followed, 301 and 302 change POST to GET, and 303 changes every method except HEAD to GET. 307
/// and 308 keep the method and the body. A ``custom(_:)`` policy can change the method, the body and the fields.
///
/// Of the request's fields, another origin (scheme, host, port) receives only `Accept`, `Accept-Language`,
/// `User-Agent`, `Range` if there is no `If-Range`, and, unless the method becomes GET, `Transfer-Encoding` and the
/// `Content-` fields. A WebSocket's handshake keeps its own fields, except `Sec-WebSocket-Protocol`.
public struct RedirectPolicy: Sendable {
    private enum Form: Sendable {
        case doNotFollow
        case follow(max: Int, allowsDowngrade: Bool)
        case custom(@Sendable (HTTPURLResponse, URLRequest) -> URLRequest?)
    }

    private let form: Form

    /// Follows up to `max` redirects, 20 by default. With more redirects, the task fails with
    /// `URLError(.httpTooManyRedirects)`. The code is `.redirectToNonExistentLocation` if a location isn't an HTTP URL,
    /// `.badServerResponse` if a redirect has two locations, and `.appTransportSecurityRequiresSecureConnection` for a
    /// redirect from `https` to `http`, unless `allowsDowngrade` is true. The error's reason is `.transport`.
    public static func follow(max: Int = 20, allowsDowngrade: Bool = false) -> RedirectPolicy {
        RedirectPolicy(form: .follow(max: max, allowsDowngrade: allowsDowngrade))
    }

    /// Follows no redirects. A redirect is the task's response, and its status isn't acceptable by default.
    public static let doNotFollow = RedirectPolicy(form: .doNotFollow)

    /// Calls a closure for each redirect to an HTTP URL, on any thread. The closure receives the redirect and the
    /// request that would follow. It returns the request to send, or `nil` to make the redirect the task's response. A
    /// redirect to any other location is also the task's response. As with ``follow(max:allowsDowngrade:)``, the task
    /// fails if it would follow more than 20 redirects, or if a redirect has two locations. If the closure chooses
    /// another origin than that of the proposed request, this origin doesn't receive the fields whose values the
    /// closure hasn't changed, except those that another origin receives (see above).
    public static func custom(
        _ decide: @escaping @Sendable (_ response: HTTPURLResponse, _ proposed: URLRequest) -> URLRequest?
    ) -> RedirectPolicy {
        RedirectPolicy(form: .custom(decide))
    }

    package func request(
        after response: HTTPURLResponse, to request: URLRequest, count: Int
    ) throws(URLError) -> URLRequest? {
        guard Self.isRedirect(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"), let url = request.url
        else { return nil }
        // A valid location has no space, so this comma probably joins two `Location` fields (RFC 9110 §10.2.2).
        let isAmbiguous = location.contains(", ")
        let proposed = Self.proposal(for: location, status: response.statusCode, after: request, from: url)
        switch form {
        case .doNotFollow: return nil
        case .custom(let decision):
            if isAmbiguous { throw URLError(.badServerResponse) }
            guard let proposed, var next = decision(response, proposed) else { return nil }
            if count >= 20 { throw URLError(.httpTooManyRedirects) }
            if next.url.flatMap({ Origin($0) }) != proposed.url.flatMap({ Origin($0) }) {
                // The closure chose another origin, which must not receive the unchanged fields.
                for (name, value) in proposed.allHTTPHeaderFields ?? [:]
                where !Self.describesBody(name) && !Self.isPublic(name, in: proposed)
                    && next.value(forHTTPHeaderField: name) == value
                {
                    next.setValue(nil, forHTTPHeaderField: name)
                }
            }
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
        let isSameOrigin = Origin(url) == origin
        for name in (request.allHTTPHeaderFields ?? [:]).keys {
            let isForwarded = describesBody(name) ? !becomesGET : isSameOrigin || isPublic(name, in: request)
            // On Apple platforms, assigning `allHTTPHeaderFields` doesn't remove fields.
            if !isForwarded { next.setValue(nil, forHTTPHeaderField: name) }
        }
        return next
    }

    private static func describesBody(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("content-") || name == "transfer-encoding"
    }

    /// Whether another origin may receive a field that doesn't describe the body.
    private static func isPublic(_ name: String, in request: URLRequest) -> Bool {
        switch name.lowercased() {
        // `If-Range` isn't sent to another origin. Without it, the range could belong to different content.
        case "range": request.value(forHTTPHeaderField: "If-Range") == nil
        case let name where tunnelFields.contains(name): request.streamedBody?.isTunnel == true
        case let name: crossOriginFields.contains(name)
        }
    }

    private static let crossOriginFields: Set<String> = ["accept", "accept-language", "user-agent"]

    /// The fields of a WebSocket's handshake, except `Sec-WebSocket-Protocol`, in which some clients send a token.
    private static let tunnelFields: Set<String> = [
        "connection", "upgrade", "sec-websocket-version", "sec-websocket-key", "sec-websocket-extensions",
    ]
}
