import Foundation

extension WebService {
    /// The settings with which a service sends the requests that match a pattern and accepts their responses.
    public struct Configuration: Sendable {
        /// Header fields for every request to the base URL's origin. Empty by default. ``RedirectPolicy`` lists the
        /// fields that are sent to another origin after a redirect.
        public var headers: Headers = [:]

        /// The status codes that count as success. The default is `200..<300`. Others fail with `.unacceptableStatus`.
        public var acceptableStatusCodes: StatusCodes = 200..<300

        /// The content types that a successful response with a body may have, as patterns such as `application/json` or
        /// `*/*+json`. `nil`, the default, accepts any type. A task with another content type fails with
        /// `.contentMismatch`, and the error names the expected and the received type.
        public var acceptableContentTypes: [String]?

        /// The maximum time from `resume()` to the last byte, or, for a stream or download, until the head arrives and
        /// then between two bytes. It includes retries and all other work. After this time, the task fails with
        /// `.timedOut`. If `nil`, the default, the data source decides: URLSession waits 60 s for each next byte.
        public var timeout: Duration?

        /// The policy that decides which requests are retried, and when. The default is ``RetryPolicy/never``.
        public var retry = RetryPolicy.never

        /// The authenticator that adds a credential to requests to the base URL's origin. It makes a new credential if
        /// the server rejects the current one. The default is `nil`.
        ///
        /// The credential replaces the request's own `Authorization` field. The service never sends it to another
        /// origin. For an endpoint that needs no credential, set `nil` in the configuration of its pattern.
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

        /// The pipeline that turns response bytes into content. By default, it has the standard transformers.
        public var pipeline: Pipeline

        /// Whether requests may use the stored responses of the pipeline's stages, and whether their own responses are
        /// stored. The default is ``CachePolicy/standard``.
        public var cachePolicy = CachePolicy.standard

        /// Whether caches serve responses without validation although the server requires it. This concerns responses
        /// with `Cache-Control: no-cache`, and stale responses with `must-revalidate` (RFC 9111 §5.2.2). The default is
        /// false, so these responses aren't served offline either.
        public var ignoresServerCacheRules = false

        /// The time for which the data of a `Resource` is up to date. The default is 30 s.
        public var expirationTime = Duration.seconds(30)

        /// The time after a failure during which `Resource.loadIfNeeded()` doesn't try again. The default is 1 s.
        public var retryTime = Duration.seconds(1)

        /// The options for encoding values as JSON. They apply to ``Request/Option/json(_:)``, to repositories, and to
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

        /// The closure that returns the ``ServiceError/userMessage`` for the errors of the service's requests, for
        /// example in another language.
        ///
        /// If the closure is `nil`, the default, or returns `nil`, the error has the standard message. A message that
        /// the app has set takes precedence. The closure is called on any thread, when the message is read.
        public var userMessage: (@Sendable (ServiceError) -> String?)?

        private(set) var jsonCoding = JSONCoding.standard
        let defaultFields: [String: String]
        private(set) var adapters: [Request.Adapter] = []

        package init() {
            self.init(standardTransformers: StandardTransformer.all)
        }

        init(standardTransformers: [StandardTransformer]) {
            pipeline = Pipeline(standardTransformers)
            defaultFields = StandardTransformer.accept(standardTransformers).map { ["Accept": $0] } ?? [:]
        }

        func conventions(_ redaction: LogRedaction) -> Request.Conventions {
            Request.Conventions(
                jsonCoding, defaultFields, redaction, userMessage: userMessage,
                hasCaches: pipeline.hasCaches)
        }

        /// Adds a closure that changes each request when it starts. Use it for values that differ from request to
        /// request.
        ///
        /// The closures run once for each task, in the order in which they were added, before the caches are read. They
        /// run on the thread that starts the task, or all in one Swift task if any of them is async. Like configured
        /// headers, they apply only to requests to the base URL's origin.
        ///
        /// If the closure throws an error, the task fails with the reason `.thrown` and that error as `underlying`. If
        /// the changed request can't be sent, the task fails with `.invalidRequest` or `.invalidURL`.
        public mutating func adaptRequest(_ adapter: @escaping @Sendable (inout URLRequest) throws -> Void) {
            adapters.append(.now(adapter))
        }

        /// Adds an async closure that changes each request, for example to fetch a token.
        ///
        /// The closure runs in a Swift task with the priority and task-local values of the code that starts the
        /// request. It counts toward ``timeout``. `cancel()` fails the task immediately and cancels the Swift task.
        public mutating func adaptRequest(
            _ adapter: @escaping @Sendable (inout URLRequest) async throws -> Void
        ) {
            adapters.append(.later(adapter))
        }
    }
}

extension StandardTransformer {
    /// Returns the value of `Accept` that prefers the parsers' types and allows all others (RFC 9110 §12.5.1).
    fileprivate static func accept(_ parsers: [StandardTransformer]) -> String? {
        if parsers.isEmpty { return nil }
        let types = [(json, "application/json"), (text, "text/*;q=0.9")].filter { parsers.contains($0.0) }
        return (types.map(\.1) + ["*/*;q=0.5"]).joined(separator: ", ")
    }
}
