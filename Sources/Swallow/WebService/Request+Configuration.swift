import Foundation

extension Request {
    package init(
        _ method: Method, baseURLString: String, path: Path = "", parameters: Parameters = [:],
        options: [Option] = [], configuration: WebService.Configuration = WebService.Configuration()
    ) {
        let (base, settings) = (BaseURL(baseURLString), ConfigurationRules.Result(configuration))
        self.init(
            method, base.joined(path), base: base, path: path, parameters: parameters, options: options,
            settings, settings.conventions(nil))
    }

    init(
        _ method: Method, _ url: String, base: BaseURL, path: Path, parameters: Parameters, options: [Option],
        _ settings: ConfigurationRules.Result, _ conventions: Conventions
    ) {
        let isSameOrigin =
            !path.isAbsolute || base.origin.map { URL(string: url).flatMap(Origin.init) == $0 } ?? false
        self.method = method
        self.parameters = parameters
        self.conventions = conventions
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
        let configuredHeaders = headers
        for option in options { option.change(&self) }
        if headers.count > configuredHeaders.count {
            let added = Array(headers.dropFirst(configuredHeaders.count))
            headers = configuredHeaders
            headers.set(added)
        }
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
                        "the body is set more than once, by \(bodies.map(\.owner).joined(separator: " and "))"
                )
            } else if let owner = bodies.first?.owner, method.sendsParametersInQuery {
                Problem(
                    reason: .invalidRequest,
                    description: "a \(method) request can't have a body, but \(owner) sets one")
            } else if download != nil, method == .HEAD {
                Problem(reason: .invalidRequest, description: "a response to HEAD has no body to download")
            } else {
                nil
            }
    }
}
