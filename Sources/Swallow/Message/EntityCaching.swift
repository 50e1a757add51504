/// How the caches of a pipeline's stages take part in a GET request; ``ServiceError`` and ``Entity/isFromCache`` tell
/// the outcome.
///
/// Each stage with a cache keeps the responses from the network, unless the caching is ``ignore``. Only complete
/// responses to GET requests without a `Range` are kept, with ``standard`` also some failures, and none with `Vary: Cookie` where the transport adds the
/// cookies. A success of a method that isn't safe, such as PUT, makes the caches forget all responses of GETs for the
/// same URL (RFC 9111 §4.4), and for the URLs of its origin that `Location` and `Content-Location` name. They also
/// forget content that the stages refuse. A fallback after a timeout may take as much time again, for reading.
///
/// A response with `no-cache`, and a stale one with `must-revalidate` (§5.2.2), isn't used before the server was asked,
/// unless ``Configuration/ignoresServerCacheRules`` allows it. Nor is any response to a request with
/// `Cache-Control: no-cache` (§5.2.1.4).
public enum EntityCaching: Sendable, Hashable {
    /// Neither reads nor writes.
    case ignore
    /// A private cache as RFC 9111 wants it: a response that is fresh by the server's word is used without a request, a stale
    /// one once the server has confirmed it. Recommended.
    ///
    /// ``Freshness`` tells how long a response is fresh. A stale one is confirmed as by ``revalidate``. With
    /// `stale-while-revalidate` it is used at once, and the server asked in the background; with `stale-if-error` it takes the
    /// place of a 500, 502, 503 or 504 (RFC 5861); and it takes the place of a response that doesn't come, as by ``fallback``.
    ///
    /// A failure with status 404, 405, 410, 414 or 5xx is stored as well if the server states how long it is fresh (RFC 9111
    /// §3). While the stored failure is fresh, tasks fail with it and no request is sent. A retry always sends a request. A
    /// failure isn't stored if a success is stored for the same request, so the success can still be served offline and by
    /// `stale-if-error`. A 404 or 410 deletes the stored success, because the resource is gone.
    ///
    /// The request's own `Cache-Control` counts: `no-cache`, `no-store`, `max-age`, `min-fresh`, `max-stale` and
    /// `only-if-cached`, with which a miss is ``ServiceError/Reason/notCached`` (RFC 9111 §5.2.1).
    case standard
    /// Reads where the transport fails: offline, or when time runs out. The default.
    case fallback
    /// Reads before the request is sent, and doesn't send it if the response was received or confirmed no longer ago
    /// than `maxAge`. Otherwise like ``revalidate``.
    case prefer(maxAge: Duration)
    /// Asks the server whether what the cache has is still right (RFC 9110 §13.1), with `If-None-Match` and
    /// `If-Modified-Since` from the cached response: a 304 serves its content, not parsed again. Otherwise like
    /// ``fallback``. Without a cached response a 304 is an error.
    case revalidate
    /// Reads, however old the response is, and sends nothing: without a cached response, without a cache and with any
    /// method but GET the task ends with ``ServiceError/Reason/notCached``.
    case only
}

extension EntityCaching {
    /// Whether no request may leave the process.
    var sendsNothing: Bool { if case .only = self { true } else { false } }
}
