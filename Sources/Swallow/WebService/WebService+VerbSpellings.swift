import Foundation

/// The verbs for a whole URL, such as one from a response. Like an absolute path, it gets the configured headers only
/// if it has the base URL's origin.
extension WebService {
    /// Sends GET to a whole URL.
    @discardableResult
    public func GET(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = []) -> ServiceTask {
        GET(Request.Path(url), parameters: parameters, options: options)
    }

    /// Sends HEAD to a whole URL.
    @discardableResult
    public func HEAD(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = []) -> ServiceTask
    {
        HEAD(Request.Path(url), parameters: parameters, options: options)
    }

    /// Sends POST to a whole URL.
    @discardableResult
    public func POST(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = []) -> ServiceTask
    {
        POST(Request.Path(url), parameters: parameters, options: options)
    }

    /// Sends PUT to a whole URL.
    @discardableResult
    public func PUT(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = []) -> ServiceTask {
        PUT(Request.Path(url), parameters: parameters, options: options)
    }

    /// Sends PATCH to a whole URL.
    @discardableResult
    public func PATCH(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = []) -> ServiceTask
    {
        PATCH(Request.Path(url), parameters: parameters, options: options)
    }

    /// Sends DELETE to a whole URL.
    @discardableResult
    public func DELETE(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = [])
        -> ServiceTask
    {
        DELETE(Request.Path(url), parameters: parameters, options: options)
    }

    /// Sends OPTIONS to a whole URL.
    @discardableResult
    public func OPTIONS(_ url: URL, parameters: Parameters = [:], options: [Request.Option] = [])
        -> ServiceTask
    {
        OPTIONS(Request.Path(url), parameters: parameters, options: options)
    }
}

// Disfavored, so that a literal becomes `Parameters`, which are sent in the order written.
/// The verbs with a dictionary in a variable for parameters, which are sent in the order of its keys.
extension WebService {
    /// Sends GET with the parameters of a dictionary in a variable, in the order of its keys.
    @_disfavoredOverload @discardableResult
    public func GET(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        GET(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends HEAD with the parameters of a dictionary in a variable, in the order of its keys.
    @_disfavoredOverload @discardableResult
    public func HEAD(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        HEAD(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends POST with the parameters of a dictionary in a variable, in the order of its keys.
    @_disfavoredOverload @discardableResult
    public func POST(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        POST(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends PUT with the parameters of a dictionary in a variable, in the order of its keys.
    @_disfavoredOverload @discardableResult
    public func PUT(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        PUT(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends PATCH with the parameters of a dictionary in a variable, in the order of its keys.
    @_disfavoredOverload @discardableResult
    public func PATCH(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        PATCH(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends DELETE with the parameters of a dictionary in a variable, in the order of its keys.
    @_disfavoredOverload @discardableResult
    public func DELETE(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        DELETE(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends OPTIONS with the parameters of a dictionary in a variable, in the order of its keys.
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
