import Foundation

/// The verbs of a whole URL, such as one that an answer holds; like an absolute path, it gets no configured headers
/// unless it is of the base URL's origin.
extension WebService {
    /// ``GET(_:parameters:options:)-(Request.Path,_,_)`` of a URL.
    @discardableResult
    public func GET(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = []) -> ServiceTask {
        GET(Request.Path(url), parameters: parameters, options: options)
    }

    /// ``HEAD(_:parameters:options:)-(Request.Path,_,_)`` of a URL.
    @discardableResult
    public func HEAD(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = []) -> ServiceTask
    {
        HEAD(Request.Path(url), parameters: parameters, options: options)
    }

    /// ``POST(_:parameters:options:)-(Request.Path,_,_)`` of a URL.
    @discardableResult
    public func POST(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = []) -> ServiceTask
    {
        POST(Request.Path(url), parameters: parameters, options: options)
    }

    /// ``PUT(_:parameters:options:)-(Request.Path,_,_)`` of a URL.
    @discardableResult
    public func PUT(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = []) -> ServiceTask {
        PUT(Request.Path(url), parameters: parameters, options: options)
    }

    /// ``PATCH(_:parameters:options:)-(Request.Path,_,_)`` of a URL.
    @discardableResult
    public func PATCH(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = []) -> ServiceTask
    {
        PATCH(Request.Path(url), parameters: parameters, options: options)
    }

    /// ``DELETE(_:parameters:options:)-(Request.Path,_,_)`` of a URL.
    @discardableResult
    public func DELETE(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = [])
        -> ServiceTask
    {
        DELETE(Request.Path(url), parameters: parameters, options: options)
    }

    /// ``OPTIONS(_:parameters:options:)-(Request.Path,_,_)`` of a URL.
    @discardableResult
    public func OPTIONS(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = [])
        -> ServiceTask
    {
        OPTIONS(Request.Path(url), parameters: parameters, options: options)
    }
}

// Disfavored, since a literal's members are sent in the order written, and a dictionary has none.
/// The verbs with a dictionary in a variable for parameters, which are sent in the order of its keys.
extension WebService {
    /// ``GET(_:parameters:options:)-(Request.Path,_,_)`` with a dictionary.
    @_disfavoredOverload @discardableResult
    public func GET(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        GET(path, parameters: Parameters(parameters), options: options)
    }

    /// ``HEAD(_:parameters:options:)-(Request.Path,_,_)`` with a dictionary.
    @_disfavoredOverload @discardableResult
    public func HEAD(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        HEAD(path, parameters: Parameters(parameters), options: options)
    }

    /// ``POST(_:parameters:options:)-(Request.Path,_,_)`` with a dictionary.
    @_disfavoredOverload @discardableResult
    public func POST(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        POST(path, parameters: Parameters(parameters), options: options)
    }

    /// ``PUT(_:parameters:options:)-(Request.Path,_,_)`` with a dictionary.
    @_disfavoredOverload @discardableResult
    public func PUT(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        PUT(path, parameters: Parameters(parameters), options: options)
    }

    /// ``PATCH(_:parameters:options:)-(Request.Path,_,_)`` with a dictionary.
    @_disfavoredOverload @discardableResult
    public func PATCH(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        PATCH(path, parameters: Parameters(parameters), options: options)
    }

    /// ``DELETE(_:parameters:options:)-(Request.Path,_,_)`` with a dictionary.
    @_disfavoredOverload @discardableResult
    public func DELETE(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        DELETE(path, parameters: Parameters(parameters), options: options)
    }

    /// ``OPTIONS(_:parameters:options:)-(Request.Path,_,_)`` with a dictionary.
    @_disfavoredOverload @discardableResult
    public func OPTIONS(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        OPTIONS(path, parameters: Parameters(parameters), options: options)
    }

    /// ``request(_:path:parameters:options:)-(_,_,Parameters,_)`` with a dictionary.
    @_disfavoredOverload @discardableResult
    public func request(
        _ method: Request.Method, path: Request.Path, parameters: [String: any ParameterConvertible],
        options: [Request.Option] = []
    ) -> ServiceTask {
        request(method, path: path, parameters: Parameters(parameters), options: options)
    }
}
