import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a service will send: a pure value, turned into a `URLRequest` by ``urlRequest()``.
///
/// Services make requests; every choice of theirs and of the caller's options is settled when one is made.
public struct Request: Sendable {
    /// The method.
    public let method: Method
    /// The URL that base and path join to, before parameters are added to its query.
    public let urlString: String
    /// The parameters: in the query for GET and HEAD, in the body for every other method.
    public let parameters: Parameters
    /// How the parameters are written.
    public let parameterEncoding: ParameterEncoding
    /// The header fields: the configured ones, then those of options.
    public let headers: Headers
    /// The status codes that are a success.
    public let acceptableStatusCodes: Range<Int>
    /// The time from `resume()` to the last byte; nil leaves it to the data source.
    public let timeout: Duration?
    /// What a cache of the transport's own may do.
    public let cachePolicy: URLRequest.CachePolicy
    /// Whether the transport stores and sends cookies.
    public let handlesCookies: Bool
    /// How the caches of the pipeline's stages take part, where it has any; they do for GET only.
    public let entityCaching: EntityCaching

    let query: Parameters
    let body: Body?
    let adapters: [Configuration.Adapter]
    /// The first thing that is wrong with what the caller gave.
    private let problem: Problem?

    enum Body: Sendable {
        case parameters
        case encodable(any Encodable & Sendable)
        case data(Data, contentType: String)

        var problem: String? {
            if case .data(_, let contentType) = self {
                Headers.problem(of: .contentType, contentType)
            } else {
                nil
            }
        }
    }

    private struct Problem {
        let reason: ServiceError.Reason
        let description: String
    }

    /// Makes a request of a base URL, a path and options.
    ///
    /// Whatever is wrong with them is thrown by ``urlRequest()``.
    public init(
        _ method: Method, baseURLString: String, path: Path = "", parameters: Parameters = [:],
        options: [Option] = [], configuration: Configuration = Configuration()
    ) {
        let base = BaseURL(baseURLString)
        self.init(
            method, base: base, path: path, parameters: parameters, options: options,
            configuration: { _ in configuration })
    }

    init(
        _ method: Method, base: BaseURL, path: Path, parameters: Parameters, options: [Option],
        configuration: (_ url: String) -> Configuration
    ) {
        let url = base.joined(path)
        let configuration = configuration(url)
        let isSameOrigin =
            !path.isAbsolute || base.origin.map { URL(string: url).flatMap(Origin.init) == $0 } ?? false
        var headers = isSameOrigin ? configuration.headers : [:]
        var parameterEncoding = configuration.parameterEncoding
        var acceptableStatusCodes = configuration.acceptableStatusCodes
        var timeout = configuration.timeout
        var cachePolicy = configuration.cachePolicy
        var handlesCookies = true
        var entityCaching = configuration.entityCaching
        var query = Parameters()
        let sendsParametersInBody = !parameters.isEmpty && !method.sendsParametersInQuery
        var bodies: [Body] = sendsParametersInBody ? [.parameters] : []

        for option in options {
            switch option {
            case .parameterEncoding(let encoding): parameterEncoding = encoding
            case .header(let name, let value): headers[name] = value
            case .query(let parameters): query.members += parameters.members
            case .json(let value): bodies.append(.encodable(value))
            case .body(let data, let contentType): bodies.append(.data(data, contentType: contentType))
            case .cachePolicy(let policy): cachePolicy = policy
            case .timeout(let duration): timeout = duration
            case .handlesCookies(let isOn): handlesCookies = isOn
            case .entityCaching(let caching): entityCaching = caching
            case .acceptStatusCodes(let codes): acceptableStatusCodes = codes
            }
        }

        self.method = method
        self.parameters = parameters
        self.parameterEncoding = parameterEncoding
        self.headers = headers
        self.acceptableStatusCodes = acceptableStatusCodes
        self.timeout = timeout
        self.cachePolicy = cachePolicy
        self.handlesCookies = handlesCookies
        self.entityCaching = entityCaching
        self.query = query
        body = bodies.first
        adapters = isSameOrigin ? configuration.adapters : []
        urlString = url
        problem =
            if let description = path.problem ?? (path.isAbsolute ? nil : base.problem) {
                Problem(reason: .invalidURL, description: description)
            } else if !Headers.isToken(method.rawValue) {
                Problem(
                    reason: .invalidRequest, description: "the method \"\(method)\" is not an RFC 9110 token")
            } else if let description = headers.problem ?? bodies.first?.problem {
                Problem(reason: .invalidRequest, description: description)
            } else if bodies.count > 1 {
                Problem(reason: .invalidRequest, description: "the body has more than one owner")
            } else if !bodies.isEmpty, method.sendsParametersInQuery {
                Problem(reason: .invalidRequest, description: "a \(method) request can't have a body")
            } else {
                nil
            }
    }

    func error(
        _ reason: ServiceError.Reason, _ description: String, underlying: (any Error)? = nil
    ) -> ServiceError {
        ServiceError(reason, detail: description, request: self, underlying: underlying)
    }

    func checkInput() throws(ServiceError) {
        if let problem { throw error(problem.reason, problem.description) }
    }
}
