/// The way a GET request uses the caches of a pipeline's stages. ``ServiceError`` and ``Entity/isFromCache`` report the
/// outcome.
///
/// Each stage with a cache stores the responses from the network, unless the caching is ``ignore``. It stores only
/// complete responses to GET requests without a `Range`. With ``standard``, it also stores some failures. Responses
/// with `Vary: Cookie` aren't stored if the data source adds the cookies.
///
/// If a method that isn't safe succeeds, such as PUT, the caches remove all GET responses for the same URL (RFC 9111
/// §4.4), and for URLs of the same origin in `Location` and `Content-Location`. They also remove content that the
/// stages reject. After a timeout, reading a cache as a fallback may take the same time again.
///
/// A response with `no-cache`, and a stale response with `must-revalidate` (§5.2.2), isn't served without validation,
/// unless ``WebService/Configuration/ignoresServerCacheRules`` allows it. A request with `Cache-Control: no-cache`
/// requires validation of all responses (§5.2.1.4).
public enum EntityCaching: Sendable, Hashable {
    /// Neither reads nor writes caches.
    case ignore
    /// Works as the private cache that RFC 9111 specifies. A fresh response is served without a request. A stale
    /// response is served after the server has confirmed it. Recommended.
    ///
    /// ``Freshness`` describes how long a response is fresh. A stale response is validated as with ``revalidate``. With
    /// `stale-while-revalidate`, it is served at once and validated in the background. With `stale-if-error`, it
    /// replaces a 500, 502, 503 or 504 (RFC 5861). If no response arrives, it is served as with ``fallback``.
    ///
    /// A failure with status 404, 405, 410, 414 or 5xx is stored as well if the server states how long it is fresh (RFC 9111
    /// §3). While the stored failure is fresh, tasks fail with it and no request is sent. A retry always sends a request. A
    /// failure isn't stored if a success is stored for the same request, so the success can still be served offline and by
    /// `stale-if-error`. A 404 or 410 deletes the stored success, because the resource is gone.
    ///
    /// The directives of the request's own `Cache-Control` apply: `no-cache`, `no-store`, `max-age`, `min-fresh`,
    /// `max-stale` and `only-if-cached`. With `only-if-cached`, the task fails with ``ServiceError/Reason/notCached``
    /// if no cache has the response (RFC 9111 §5.2.1).
    case standard
    /// Reads caches only if the transfer fails, for example offline or after a timeout. The default.
    case fallback
    /// Reads caches before the request is sent. The request isn't sent if the response was received or confirmed within
    /// the last `maxAge`. Otherwise works like ``revalidate``.
    case prefer(maxAge: Duration)
    /// Validates the cached response with `If-None-Match` and `If-Modified-Since` (RFC 9110 §13.1). After a 304, the
    /// cached content is served and isn't parsed again. Otherwise works like ``fallback``. Without a cached response, a
    /// 304 is an error.
    case revalidate
    /// Serves the cached response regardless of its age, and sends nothing. The task fails with
    /// ``ServiceError/Reason/notCached`` if there is no cached response, no cache, or if the method isn't GET.
    case only
}

extension EntityCaching {
    /// Whether the request must not be sent.
    var sendsNothing: Bool { if case .only = self { true } else { false } }
}
