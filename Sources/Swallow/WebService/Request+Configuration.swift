import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Request {
    /// Creates a request from a base URL, a path and options.
    ///
    /// If any of them is invalid, ``urlRequest()`` throws the error.
    package init(
        _ method: Method, baseURLString: String, path: Path = "", parameters: Parameters = [:],
        options: [Option] = [], configuration: Configuration = Configuration()
    ) {
        let base = BaseURL(baseURLString)
        self.init(
            method, base.joined(path), base: base, path: path, parameters: parameters, options: options,
            configuration: configuration, configuration.conventions(.standard))
    }

    /// - Parameter url: The base URL joined with the path. The configuration was chosen for this URL.
    init(
        _ method: Method, _ url: String, base: BaseURL, path: Path, parameters: Parameters, options: [Option],
        configuration: Configuration, _ conventions: Conventions
    ) {
        let isSameOrigin =
            !path.isAbsolute || base.origin.map { URL(string: url).flatMap(Origin.init) == $0 } ?? false
        var headers = isSameOrigin ? configuration.headers : [:]
        var parameterEncoding = configuration.parameterEncoding
        var acceptableStatusCodes = configuration.acceptableStatusCodes
        var acceptableContentTypes = configuration.acceptableContentTypes
        var timeout = configuration.timeout
        var retry = configuration.retry
        var cachePolicy = configuration.cachePolicy
        var handlesCookies = true
        var redirects: RedirectPolicy?
        var compressesBody = false
        var ignoresServerCacheRules = configuration.ignoresServerCacheRules
        var query = Parameters()
        let sendsParametersInBody = !parameters.isEmpty && !method.sendsParametersInQuery
        var download: Download?
        var bodies: [Body] = sendsParametersInBody ? [.parameters] : []
        var fields: [(Headers.Name, String)] = []

        for option in options {
            switch option {
            case .parameterEncoding(let encoding): parameterEncoding = encoding
            case .header(let name, let value): fields.append((name, value))
            case .query(let parameters): query.members += parameters.members
            case .json(let value): bodies.append(.encodable(EncodableBody(value)))
            case .body(let data, let contentType): bodies.append(.data(data, contentType: contentType))
            case .streamedBody(let body, let contentType):
                bodies.append(.streamed(body, contentType: contentType))
            case .multipartForm(let form): bodies.append(.multipart(form))
            case .cachePolicy(let policy): cachePolicy = policy
            case .timeout(let duration): timeout = duration
            case .retry(let policy): retry = policy
            case .handlesCookies(let isOn): handlesCookies = isOn
            case .redirects(let policy): redirects = policy
            case .compressed: compressesBody = true
            case .ignoresServerCacheRules(let isOn): ignoresServerCacheRules = isOn
            case .acceptStatusCodes(let codes): acceptableStatusCodes = codes
            case .acceptContentTypes(let types): acceptableContentTypes = types
            case .download(let target, let resumes, let createsFolders):
                download = Download(place: .file(target), resumes: resumes, createsFolders: createsFolders)
            case .newDownload(let folder, let createsFolders):
                download = Download(place: .folder(folder), createsFolders: createsFolders)
            case .temporaryDownload: download = Download(place: .temporary)
            }
        }

        headers.set(fields)
        self.method = method
        self.parameters = parameters
        self.parameterEncoding = parameterEncoding
        self.headers = headers
        self.acceptableStatusCodes = acceptableStatusCodes
        self.acceptableContentTypes = acceptableContentTypes
        self.conventions = conventions
        self.timeout = timeout
        self.retry = retry
        self.cachePolicy = cachePolicy
        self.handlesCookies = handlesCookies
        self.redirects = redirects
        self.compressesBody = compressesBody
        self.ignoresServerCacheRules = ignoresServerCacheRules
        self.query = query
        body = bodies.first
        self.download = download
        adapters = isSameOrigin ? configuration.adapters : []
        // A request that helps to create the credential must not wait for that credential.
        credentials = configuration.credentials.flatMap { isSameOrigin && !$0.isWorkingHere ? $0 : nil }
        urlString = url
        problem =
            if let description = path.problem ?? (path.isAbsolute ? nil : base.problem) {
                Problem(reason: .invalidURL, description: description)
            } else if !HTTPSyntax.isToken(method.rawValue) {
                Problem(
                    reason: .invalidRequest, description: "the method \"\(method)\" is not an RFC 9110 token")
            } else if let description = headers.problem ?? bodies.first?.problem {
                Problem(reason: .invalidRequest, description: description)
            } else if bodies.count > 1 {
                Problem(
                    reason: .invalidRequest,
                    description:
                        "the body has more than one owner: \(bodies.map(\.owner).joined(separator: " and "))")
            } else if let owner = bodies.first?.owner, method.sendsParametersInQuery {
                Problem(
                    reason: .invalidRequest,
                    description: "a \(method) request can't have a body, and \(owner) gives it one")
            } else if download != nil, method == .HEAD {
                Problem(reason: .invalidRequest, description: "a response to HEAD has no body to download")
            } else {
                nil
            }
    }
}
