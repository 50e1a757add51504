import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a service sends the requests that a pattern matches, and what it takes for a success.
public struct Configuration: Sendable {
    /// Header fields for every request to the base URL's origin; none by default.
    ///
    /// They go neither to an absolute path of another origin nor through a redirect to one.
    public var headers: Headers = [:]

    /// The status codes that are a success; `200..<300` by default. Any other ends in `.unacceptableStatus`.
    public var acceptableStatusCodes = 200..<300

    /// The time from `resume()` to the last byte, everything included; then the task ends with `.timedOut`. Nil,
    /// the default, leaves time to the data source: URLSession waits 60 s for each next byte.
    public var timeout: Duration?

    /// What a cache of the transport's own may do; `.useProtocolCachePolicy` by default.
    public var cachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy

    /// How parameters are written; ``ParameterEncoding/percent`` by default.
    public var parameterEncoding = ParameterEncoding.percent

    /// What makes content of the responses' bytes; begins with the service's standard transformers.
    public var pipeline: Pipeline

    /// How the caches of the pipeline's stages take part; ``EntityCaching/fallback`` by default.
    public var entityCaching = EntityCaching.fallback

    private(set) var adapters: [Adapter] = []

    enum Adapter: Sendable {
        case now(@Sendable (inout URLRequest) throws -> Void)
        case later(@Sendable (inout URLRequest) async throws -> Void)
    }

    /// Makes the configuration that a service starts from.
    public init() {
        self.init(pipeline: .standard)
    }

    init(pipeline: Pipeline) {
        self.pipeline = pipeline
    }

    /// Adds a closure that completes each request as it is started: the place for a token that changes.
    ///
    /// It runs once for each task, before caches are looked up, on the thread that starts the task, after those that
    /// were added before and, like configured headers, only for the base URL's origin. An error that it throws is the
    /// task's, with `.thrown`; a request that can't be sent any more ends it with `.invalidRequest` or `.invalidURL`.
    ///
    /// ```swift
    /// service.configure { $0.adaptRequest { $0.setValue("Bearer \(tokens.current)", forHTTPHeaderField: "Authorization") } }
    /// ```
    public mutating func adaptRequest(_ adapter: @escaping @Sendable (inout URLRequest) throws -> Void) {
        adapters.append(.now(adapter))
    }

    /// Adds a closure that completes each request and may take its time: to fetch a token, say.
    ///
    /// As the closure without `async`, but in a Swift task with the priority and the task-local values of whoever starts
    /// the request. While it runs the task is `.running`; `suspend()` holds the sending back, `cancel()` ends the task at
    /// once and cancels the Swift task, and the time counts for ``timeout``.
    public mutating func adaptRequest(
        _ adapter: @escaping @Sendable (inout URLRequest) async throws -> Void
    ) {
        adapters.append(.later(adapter))
    }
}
