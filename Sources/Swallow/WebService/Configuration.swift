import Foundation

extension WebService {
    /// The settings for requests and their responses.
    public struct Configuration: Sendable {
        /// The header fields that are added to requests to the base URL's origin. Empty by default. See
        /// ``RedirectPolicy`` for redirects to another origin.
        public var headers: Headers = [:]

        /// The status codes of a success, `200..<300` by default. Others usually fail tasks with `.unacceptableStatus`.
        public var acceptableStatusCodes: StatusCodes = 200..<300

        /// The content types that a successful response with a body may have, as patterns such as `*/*+json`. If no
        /// pattern matches, the task fails with `.contentMismatch`. `nil`, the default, accepts any type.
        public var acceptableContentTypes: [String]?

        /// The maximum time from the start of the task until the response is in memory, including retries, delays and
        /// authentication. If the body is delivered in parts or downloaded, it limits the time until the head arrives,
        /// and then between two bytes. After this time, the task fails with `.timedOut`, unless a cache serves a stored
        /// response. With `nil`, the default, only the data source's timeouts apply, by default 60 s without a byte.
        public var timeout: Duration?

        /// The policy for retrying failed requests. The default is ``RetryPolicy/never``.
        public var retry = RetryPolicy.never

        /// The authenticator that adds a credential to requests to the base URL's origin, and may make a new one if the
        /// server rejects it. `nil` by default. After a redirect to another origin, a ``RedirectPolicy`` doesn't send
        /// the credential. For an endpoint that needs no credential, configure `nil` for its pattern.
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

        /// The encoding of parameters. The default is ``ParameterEncoding/percent``.
        public var parameterEncoding = ParameterEncoding.percent

        /// The pipeline that turns response bytes into content, by default with the service's `standardTransformers`.
        public var pipeline: Pipeline

        /// The policy for reading and storing responses in the pipeline's caches. ``CachePolicy/standard`` by default.
        public var cachePolicy = CachePolicy.standard

        /// Whether caches may serve a response with `no-cache`, or a stale response with `must-revalidate`, before the
        /// server has validated it (RFC 9111 §5.2.2). By default, caches don't serve it, not even offline.
        public var ignoresServerCacheRules = false

        /// The time for which the data of a `Resource` is up to date. The default is 30 s.
        public var expirationTime = Duration.seconds(30)

        /// The time after a failure during which `Resource.loadIfNeeded()` doesn't try again. The default is 1 s.
        public var retryTime = Duration.seconds(1)

        /// The options for encoding values as JSON, for example with ``Request/Option/json(_:)``. They also apply to
        /// the dates and coding keys in parameters. By default, dates are written as ISO 8601.
        public var jsonEncoding: JSON.EncodingOptions {
            get { jsonCoding.encoding }
            set { jsonCoding = JSONCoding(encoding: newValue, decoding: jsonCoding.decoding) }
        }

        /// The options for decoding `Decodable` types from JSON. ``JSON/DecodingOptions`` documents the defaults.
        public var jsonDecoding: JSON.DecodingOptions {
            get { jsonCoding.decoding }
            set { jsonCoding = JSONCoding(encoding: jsonCoding.encoding, decoding: newValue) }
        }

        /// The closure that returns the ``ServiceError/userMessage`` of an error, for example in another language. If
        /// it is `nil`, the default, or returns `nil`, the error has the standard message. A message that the app has
        /// set takes precedence. Otherwise, the closure runs each time the message is read, on the reading thread.
        public var userMessage: (@Sendable (ServiceError) -> String?)?

        private(set) var jsonCoding = JSONCoding.standard
        let defaultFields: [String: String]
        private(set) var adapters: [Request.Adapter] = []

        package init(standardTransformers: [StandardTransformer] = StandardTransformer.all) {
            pipeline = Pipeline(standardTransformers)
            defaultFields = StandardTransformer.accept(standardTransformers).map { ["Accept": $0] } ?? [:]
        }

        /// Unavailable. Call ``WebService/configure(_:methods:_:)`` to change the configuration.
        @available(
            *, unavailable,
            message: "Services create configurations. Write service.configure { $0.retry = .standard }."
        )
        public init(_ unavailable: Never? = nil) {
            self.init(standardTransformers: StandardTransformer.all)
        }

        func conventions(_ redaction: LogRedaction) -> Request.Conventions {
            Request.Conventions(
                jsonCoding, defaultFields, redaction, userMessage: userMessage,
                hasCaches: pipeline.hasCaches)
        }

        /// Adds a closure that changes requests before they are sent, for example to add a timestamp.
        ///
        /// The closures run in the order added, when a task to the base URL's origin starts, before the caches are
        /// read, and not again for retries. They run on the thread that starts the task, or in one Swift task if any of
        /// them is async. If a closure throws your own error, the task fails with `.thrown` and that error as
        /// `underlying`. If the new request can't be sent, the task fails with `.invalidRequest` or `.invalidURL`.
        public mutating func adaptRequest(_ adapter: @escaping @Sendable (inout URLRequest) throws -> Void) {
            adapters.append(.now(adapter))
        }

        /// Adds an async closure that changes requests, for example to fetch a token. It runs in a Swift task with
        /// the priority and task-local values of the code that starts the task, and counts toward ``timeout``.
        /// `cancel()` fails the task immediately and cancels the Swift task.
        public mutating func adaptRequest(
            _ adapter: @escaping @Sendable (inout URLRequest) async throws -> Void
        ) {
            adapters.append(.later(adapter))
        }
    }
}

extension StandardTransformer {
    /// Returns an `Accept` value (RFC 9110 §12.5.1). It prefers JSON and text, if they have a parser, to other types.
    fileprivate static func accept(_ parsers: [StandardTransformer]) -> String? {
        if parsers.isEmpty { return nil }
        let types = [(json, "application/json"), (text, "text/*;q=0.9")].filter { parsers.contains($0.0) }
        return (types.map(\.1) + ["*/*;q=0.5"]).joined(separator: ", ")
    }
}

extension Request {
    package init(
        _ method: Method, baseURLString: String, path: Path = "", parameters: Parameters = [:],
        options: [Option] = [], configuration: WebService.Configuration = WebService.Configuration()
    ) {
        let base = BaseURL(baseURLString)
        self.init(
            method, base.joined(path), base: base, path: path, parameters: parameters, options: options,
            ConfigurationRules.Result(configuration))
    }

    init(
        _ method: Method, _ url: String, base: BaseURL, path: Path, parameters: Parameters, options: [Option],
        _ settings: ConfigurationRules.Result, redaction: LogRedaction = .standard
    ) {
        let isSameOrigin =
            !path.isAbsolute || base.origin.map { URL(string: url).flatMap(Origin.init) == $0 } ?? false
        self.method = method
        self.parameters = parameters
        conventions = settings.conventions(redaction)
        urlString = url
        headers = isSameOrigin ? settings.configuration.headers : [:]
        parameterEncoding = settings.configuration.parameterEncoding
        acceptableStatusCodes = settings.configuration.acceptableStatusCodes
        acceptableContentTypes = settings.configuration.acceptableContentTypes
        timeout = settings.configuration.timeout
        retry = settings.configuration.retry
        cachePolicy = settings.configuration.cachePolicy
        ignoresServerCacheRules = settings.configuration.ignoresServerCacheRules
        bodies = parameters.isEmpty || method.sendsParametersInQuery ? [] : [.parameters]
        adapters = isSameOrigin ? settings.configuration.adapters : []
        // A request that the authenticator sends to make a credential must not wait for that credential.
        credentials = settings.configuration.credentials.flatMap {
            isSameOrigin && !$0.isWorkingHere ? $0 : nil
        }
        for option in options { option.change(&self) }
        problem = problem(with: path, base)
    }

    private func problem(with path: Path, _ base: BaseURL) -> ServiceError? {
        if let problem = path.problem ?? (path.isAbsolute ? nil : base.problem) {
            return ServiceError(.invalidURL, detail: problem)
        }
        return messageProblem.map { .invalidRequest($0) }
    }

    private var messageProblem: String? {
        if !HTTPSyntax.isToken(method.rawValue) { return "the method \"\(method)\" is not an RFC 9110 token" }
        if let problem = headers.problem ?? bodies.first?.problem { return problem }
        if bodies.count > 1 {
            return "the body is set more than once, by \(bodies.map(\.owner).joined(separator: " and "))"
        }
        if let owner = bodies.first?.owner, method.sendsParametersInQuery {
            return "a \(method) request can't have a body, but \(owner) sets one"
        }
        return download != nil && method == .HEAD ? "a response to HEAD has no body to download" : nil
    }
}
