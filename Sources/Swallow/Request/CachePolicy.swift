/// Whether a GET request may use stored responses, and whether its own response is stored.
///
/// ```swift
/// service.configure("/menu") { $0.cachePolicy = .preferCache(maxAge: .seconds(60)) }
/// let known = await service.GET("/menu", options: [.cachePolicy(.onlyCache)]).result
/// ```
///
/// The policy applies to the caches of the pipeline's stages. If a stage has a cache, the data source's own cache, such
/// as `URLCache`, isn't read. Otherwise, only ``standard`` and ``preferCache(maxAge:)`` permit reading it.
///
/// Under every policy, a stored response with `no-cache`, and a stale one with `must-revalidate`, isn't served before
/// the server has validated it (RFC 9111 §5.2.2), unless ``WebService/Configuration/ignoresServerCacheRules`` allows
/// it. If the request has `Cache-Control: no-cache`, no stored response is served before it has been validated
/// (§5.2.1.4).
///
/// The caches store only complete responses to GET requests without a `Range`. Responses with `Vary: Cookie` aren't
/// stored if the data source adds the cookies. A 404 or 410 removes the stored success. A failure with status 404, 405,
/// 410, 414 or 5xx is stored if the server states a lifetime above zero (§3), no redirect led to it, and no success is
/// stored.
///
/// After a successful request that isn't safe, such as PUT, the caches remove all responses for its URL (§4.4), and for
/// URLs of the same origin in `Location` and `Content-Location`. They also remove a stored response that the stages
/// reject. ``Entity/isFromCache`` shows whether a stored response was used, and ``Entity/freshness`` how fresh it was.
public enum CachePolicy: Sendable, Hashable {
    /// Works as the private cache that RFC 9111 specifies. The default.
    ///
    /// A fresh response is served without a request (see ``Freshness``). A stale response is validated with
    /// `If-None-Match` and `If-Modified-Since` (RFC 9110 §13.1), and served after a 304. If the server can't be
    /// reached, the stale response is usually served. After a timeout, reading it may take as long again.
    ///
    /// With `stale-while-revalidate`, a stale response is served immediately and validated in the background. With
    /// `stale-if-error`, it is served in place of a 500, 502, 503 or 504 (RFC 5861). While a stored failure is fresh,
    /// tasks fail with it without sending a request. A retry never reads the caches first.
    ///
    /// The caches follow `no-cache`, `max-age`, `min-fresh`, `max-stale`, `stale-if-error` and `only-if-cached` in the
    /// request's own `Cache-Control` (RFC 9111 §5.2.1). With `only-if-cached`, the task fails with
    /// ``ServiceError/Reason/notCached`` if no cache has a response that is fresh enough. By default, ``MemoryCache``
    /// and ``DiskCache`` also follow `no-store`.
    case standard
    /// Works as ``standard``, but a success without redirects is also fresh for `maxAge` after arrival or validation.
    case preferCache(maxAge: Duration)
    /// Validates the stored response, if any, even if it is fresh. If the server can't be reached, the task fails.
    case validate
    /// Doesn't read the caches first. They are read only after an error of the transport or a timeout.
    case networkFirst
    /// Sends the request and stores its response. No cache is read, so the task fails if the server can't be reached.
    case reload
    /// Sends the request. No cache is read, and the response to a GET or HEAD changes no cache.
    case ignore
    /// Serves the stored success, even if it is stale, and sends nothing. The task fails with
    /// ``ServiceError/Reason/notCached`` if no cache has a success that may be served without the server, if the method
    /// isn't GET, or if the request has a `Range`.
    case onlyCache
}

extension CachePolicy {
    var readsFirst: Bool {
        switch self {
        case .standard, .preferCache, .validate, .onlyCache: true
        case .networkFirst, .reload, .ignore: false
        }
    }

    /// Whether the request is always sent, so that the data source must not use its own cache.
    var requiresServer: Bool {
        switch self {
        case .validate, .networkFirst, .reload, .ignore: true
        case .standard, .preferCache, .onlyCache: false
        }
    }

    var servesStale: Bool {
        switch self {
        case .standard, .preferCache, .networkFirst: true
        case .validate, .reload, .ignore, .onlyCache: false
        }
    }
}
