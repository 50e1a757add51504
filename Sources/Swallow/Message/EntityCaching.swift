/// How the caches of a pipeline's stages take part in a GET request; ``ServiceError`` and ``Entity/isFromCache`` tell
/// what came of it.
///
/// A response from the network is kept by each stage that has a cache, unless the caching is ``ignore``. Only complete
/// successes of GET requests without a `Range` are, and none with `Vary: Cookie` where the transport adds the cookies. A
/// success of a method that isn't safe, such as PUT, has them forget all responses of GETs for the same URL (RFC 9111
/// §4.4), and for those of its origin that `Location` and `Content-Location` name. They forget content that the stages
/// don't take any more, too. A fallback after a timeout may take as much time again, for reading.
///
/// What the server wants to be asked about is not used unasked: a response with `no-cache`, and a stale one with
/// `must-revalidate` (§5.2.2), unless ``Configuration/ignoresServerCacheRules`` says so. Nor is any for a request with
/// `Cache-Control: no-cache` (§5.2.1.4).
public enum EntityCaching: Sendable, Hashable {
    /// Neither reads nor writes.
    case ignore
    /// A private cache as RFC 9111 wants it: a response that is fresh by the server's word is used without a request, a stale
    /// one once the server has confirmed it. Recommended.
    ///
    /// How long a response is fresh, ``Freshness`` tells. A stale one is confirmed as by ``revalidate``. With
    /// `stale-while-revalidate` it is used at once, and the server asked in the background; with `stale-if-error` it takes the
    /// place of a 500, 502, 503 or 504 (RFC 5861); and it takes the place of a response that doesn't come, as by ``fallback``.
    /// The request's own `Cache-Control` counts: `no-cache`, `no-store`, `max-age`, `min-fresh`, `max-stale` and
    /// `only-if-cached`, with which a miss is ``ServiceError/Reason/notCached`` (RFC 9111 §5.2.1).
    case standard
    /// Reads where the transport fails: offline, or when time runs out. The default.
    case fallback
    /// Reads before the request is sent, and doesn't send it if the response was received, or confirmed, no longer ago
    /// than that. Otherwise like ``revalidate``.
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
