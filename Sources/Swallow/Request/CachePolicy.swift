/// Whether a GET request may use stored responses, and whether its own response is stored.
///
/// ```swift
/// service.configure("/menu") { $0.cachePolicy = .preferCache(maxAge: .seconds(60)) }
/// let known = await service.GET("/menu", options: [.cachePolicy(.onlyCache)]).result
/// ```
///
/// The policy applies to the caches of the pipeline's stages. A service without such a cache leaves caching to its data
/// source, for example to `URLCache` on Apple platforms, except for the policies that always send a request. As soon as
/// a stage has a cache, the data source's own cache is off.
///
/// Under every policy, a response with `no-cache`, and a stale response with `must-revalidate`, isn't served without the
/// server (RFC 9111 §5.2.2), unless ``WebService/Configuration/ignoresServerCacheRules`` allows it. A request with
/// `Cache-Control: no-cache` requires validation of all responses (§5.2.1.4).
///
/// The caches store only complete responses to GET requests without a `Range`. Responses with `Vary: Cookie` aren't
/// stored if the data source adds the cookies. If the server states how long a failure with status 404, 405, 410, 414 or
/// 5xx is fresh, the failure is stored as well (§3), unless a success is stored for the same request. A 404 or 410
/// deletes the stored success, because the resource is gone.
///
/// If a method that isn't safe succeeds, such as PUT, the caches remove all responses for the same URL (§4.4), and for
/// URLs of the same origin in `Location` and `Content-Location`. They also remove content that the stages reject.
/// ``Entity/isFromCache`` and ``Entity/freshness`` report whether and how a stored response was used.
public enum CachePolicy: Sendable, Hashable {
    /// Works as the private cache that RFC 9111 specifies. The default.
    ///
    /// A fresh response is served without a request. ``Freshness`` describes how long a response is fresh. A stale
    /// response is validated with `If-None-Match` and `If-Modified-Since` (RFC 9110 §13.1), and after a 304 its content
    /// is served and isn't parsed again. If the server can't be reached, the stale response is served. If the request
    /// timed out, reading the caches may take as long as the timeout again.
    ///
    /// With `stale-while-revalidate`, a stale response is served at once and validated in the background. With
    /// `stale-if-error`, it replaces a 500, 502, 503 or 504 (RFC 5861). While a stored failure is fresh, tasks fail with
    /// it and no request is sent. A retry always sends a request.
    ///
    /// The directives of the request's own `Cache-Control` apply: `no-cache`, `no-store`, `max-age`, `min-fresh`,
    /// `max-stale` and `only-if-cached`. With `only-if-cached`, the task fails with ``ServiceError/Reason/notCached``
    /// if no cache has a response that is fresh enough (RFC 9111 §5.2.1).
    case standard
    /// Works as ``standard``, and also counts a response as fresh if it was received or confirmed less than `maxAge` ago.
    case preferCache(maxAge: Duration)
    /// Sends the request with the validators of the stored response, even if the response is fresh. If the server can't
    /// be reached, the task fails.
    case validate
    /// Sends the request without validators. Caches are read only if the server can't be reached.
    case networkFirst
    /// Sends the request and stores its response. No cache is read, so the task fails if the server can't be reached.
    case reload
    /// Sends the request. No cache is read, and the response isn't stored.
    case ignore
    /// Serves the stored response regardless of its age, and sends nothing. The task fails with
    /// ``ServiceError/Reason/notCached`` if no cache has the response, and if the method isn't GET.
    case onlyCache
}

extension CachePolicy {
    /// Whether the caches are read before the request is sent.
    var readsFirst: Bool {
        switch self {
        case .standard, .preferCache, .validate, .onlyCache: true
        case .networkFirst, .reload, .ignore: false
        }
    }

    /// Whether only the server may respond, or is tried before any cache.
    var requiresServer: Bool {
        switch self {
        case .validate, .networkFirst, .reload, .ignore: true
        case .standard, .preferCache, .onlyCache: false
        }
    }

    /// Whether a stored response replaces a response that doesn't arrive.
    var servesStale: Bool {
        switch self {
        case .standard, .preferCache, .networkFirst: true
        case .validate, .reload, .ignore, .onlyCache: false
        }
    }
}
