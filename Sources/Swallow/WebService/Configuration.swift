import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a service sends the requests that a pattern matches, and which responses are a success.
public struct Configuration: Sendable {
    /// Header fields for every request to the base URL's origin; none by default.
    ///
    /// They go neither to an absolute path of another origin nor through a redirect to one.
    public var headers: Headers = [:]

    /// The status codes that are a success; `200..<300` by default. Any other ends in `.unacceptableStatus`.
    public var acceptableStatusCodes: StatusCodes = 200..<300

    /// The content types of a success with a body, as patterns such as `application/json` or `*/*+json`; nil, the
    /// default, for any. Any other ends in `.contentMismatch`, which names both.
    public var acceptableContentTypes: [String]?

    /// The time from `resume()` to the last byte, everything included; then the task ends with `.timedOut`. Nil,
    /// the default, leaves timeouts to the data source: URLSession waits 60 s for each next byte.
    public var timeout: Duration?

    /// Which requests are sent again, how often, and after how long; ``RetryPolicy/never`` by default.
    ///
    /// ```swift
    /// service.configure { $0.retry = .standard }
    /// ```
    public var retry = RetryPolicy.never

    /// Gives requests to the base URL's origin a credential, and makes a new one when it is refused; nil by default.
    ///
    /// ```swift
    /// service.configure { $0.authenticator = .basic("ann", password) }
    /// ```
    ///
    /// It replaces a request's own `Authorization` field. No other origin gets the credential: neither by an absolute
    /// path, nor where `adaptRequest` changes the URL, nor through a redirect. For an endpoint that needs none, set nil
    /// in its pattern's configuration.
    public var authenticator: (any Authenticator)? {
        didSet {
            credentials =
                switch authenticator {
                case let password as PasswordAuthenticator: password.credentials
                case let token as TokenAuthenticator: token
                case let own?: OwnCredentialSource(own)
                case nil: nil
                }
        }
    }

    private(set) var credentials: (any CredentialSource)?

    /// What a cache of the transport's own may do; `.useProtocolCachePolicy` by default.
    public var cachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy

    /// How parameters are written; ``ParameterEncoding/percent`` by default.
    public var parameterEncoding = ParameterEncoding.percent

    /// Makes content of the responses' bytes; begins with the service's standard transformers.
    public var pipeline: Pipeline

    /// How the caches of the pipeline's stages take part; ``EntityCaching/fallback`` by default.
    public var entityCaching = EntityCaching.fallback

    /// Whether caches may use responses without asking the server that wants to be asked: those with
    /// `Cache-Control: no-cache`, and stale ones with `must-revalidate` (RFC 9111 §5.2.2). False by default: such a
    /// response isn't used offline, either. For an app that knows better, and shows how old its content is.
    public var ignoresServerCacheRules = false

    /// For how long the data of a ``Resource`` is up to date; 30 s by default. A resource may have a time of its own.
    public var expirationTime = Duration.seconds(30)

    /// For how long after a failure ``Resource/loadIfNeeded()`` doesn't try again; 1 s by default. A resource may have a
    /// time of its own.
    public var retryTime = Duration.seconds(1)

    /// How values become JSON: those of ``Request/Option/json(_:)``, of repositories, and the dates and coding keys
    /// among parameters. Dates are ISO 8601 by default; key strategies are set here.
    public var jsonEncoding: JSON.EncodingOptions {
        get { jsonCoding.encoding }
        set { jsonCoding = JSONCoding(encoding: newValue, decoding: jsonCoding.decoding) }
    }

    /// How JSON becomes values wherever the service decodes a `Decodable`; the defaults of ``JSON/DecodingOptions`` by
    /// default.
    public var jsonDecoding: JSON.DecodingOptions {
        get { jsonCoding.decoding }
        set { jsonCoding = JSONCoding(encoding: jsonCoding.encoding, decoding: newValue) }
    }

    /// Makes the ``ServiceError/userMessage`` of the errors of the service's requests, for an app in other languages,
    /// say. The `userMessage` of the error that the closure gets has the standard words. They stay if the closure
    /// returns nil, and without a closure, the default. A message that the app has set stays, too. Called where the
    /// message is read, on any thread.
    public var userMessage: (@Sendable (ServiceError) -> String?)?

    private(set) var jsonCoding = JSONCoding.standard
    let defaultFields: [String: String]
    private(set) var adapters: [Request.Adapter] = []

    /// Makes the configuration that a service starts from.
    package init() {
        self.init(standardTransformers: StandardTransformer.all)
    }

    init(standardTransformers: [StandardTransformer]) {
        pipeline = Pipeline(standardTransformers)
        defaultFields = StandardTransformer.accept(standardTransformers).map { ["Accept": $0] } ?? [:]
    }

    /// The conventions that the requests have in common.
    func conventions(_ redaction: LogRedaction) -> Request.Conventions {
        Request.Conventions(jsonCoding, defaultFields, redaction, userMessage: userMessage)
    }

    /// Adds a closure that completes each request as it is started: the place for what changes from request to request.
    ///
    /// It runs once for each task, before caches are looked up, on the thread that starts the task (or, where some
    /// closure is async, in the Swift task that runs all of them), after those that were added before and, like
    /// configured headers, only for the base URL's origin. An error that it throws is the task's, with `.thrown`; a
    /// request that can't be sent any more ends it with `.invalidRequest` or `.invalidURL`.
    ///
    /// ```swift
    /// service.configure { configuration in
    ///     configuration.adaptRequest { request in
    ///         request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
    ///     }
    /// }
    /// ```
    public mutating func adaptRequest(_ adapter: @escaping @Sendable (inout URLRequest) throws -> Void) {
        adapters.append(.now(adapter))
    }

    /// Adds a closure that completes each request and may take its time: to fetch a token, say.
    ///
    /// It runs like the closure without `async`, but in a Swift task with the priority and the task-local values of the
    /// code that starts the request. While it runs, the task is `.running`, and the time counts for ``timeout``.
    /// `suspend()` delays the sending; `cancel()` ends the task at once, and cancels the Swift task.
    public mutating func adaptRequest(
        _ adapter: @escaping @Sendable (inout URLRequest) async throws -> Void
    ) {
        adapters.append(.later(adapter))
    }
}

extension StandardTransformer {
    /// The value of `Accept` that prefers the types that the parsers take, and accepts all others (RFC 9110 §12.5.1):
    /// `application/json, text/*;q=0.9, */*;q=0.5`. Nil where nothing is parsed.
    fileprivate static func accept(_ parsers: [StandardTransformer]) -> String? {
        if parsers.isEmpty { return nil }
        let types = [(json, "application/json"), (text, "text/*;q=0.9")].filter { parsers.contains($0.0) }
        return (types.map(\.1) + ["*/*;q=0.5"]).joined(separator: ", ")
    }
}
