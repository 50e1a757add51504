// These functions are disfavored, so that the compiler turns literals into `Request.Path` and `Parameters`.

extension WebService {
    /// Sends GET to a `URL`, or to the path of a value of your own type.
    @_disfavoredOverload @discardableResult
    public func GET(
        _ path: some RequestPathConvertible, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        GET(path.requestPath, parameters: parameters, options: options)
    }

    /// Sends HEAD to a `URL`, or to the path of a value of your own type.
    @_disfavoredOverload @discardableResult
    public func HEAD(
        _ path: some RequestPathConvertible, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        HEAD(path.requestPath, parameters: parameters, options: options)
    }

    /// Sends POST to a `URL`, or to the path of a value of your own type.
    @_disfavoredOverload @discardableResult
    public func POST(
        _ path: some RequestPathConvertible, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        POST(path.requestPath, parameters: parameters, options: options)
    }

    /// Sends PUT to a `URL`, or to the path of a value of your own type.
    @_disfavoredOverload @discardableResult
    public func PUT(
        _ path: some RequestPathConvertible, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        PUT(path.requestPath, parameters: parameters, options: options)
    }

    /// Sends PATCH to a `URL`, or to the path of a value of your own type.
    @_disfavoredOverload @discardableResult
    public func PATCH(
        _ path: some RequestPathConvertible, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        PATCH(path.requestPath, parameters: parameters, options: options)
    }

    /// Sends DELETE to a `URL`, or to the path of a value of your own type.
    @_disfavoredOverload @discardableResult
    public func DELETE(
        _ path: some RequestPathConvertible, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        DELETE(path.requestPath, parameters: parameters, options: options)
    }

    /// Sends OPTIONS to a `URL`, or to the path of a value of your own type.
    @_disfavoredOverload @discardableResult
    public func OPTIONS(
        _ path: some RequestPathConvertible, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        OPTIONS(path.requestPath, parameters: parameters, options: options)
    }
}

extension WebService {
    /// Sends GET with the parameters of a dictionary, sorted by name.
    @_disfavoredOverload @discardableResult
    public func GET(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        GET(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends HEAD with the parameters of a dictionary, sorted by name.
    @_disfavoredOverload @discardableResult
    public func HEAD(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        HEAD(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends POST with the parameters of a dictionary, sorted by name.
    @_disfavoredOverload @discardableResult
    public func POST(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        POST(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends PUT with the parameters of a dictionary, sorted by name.
    @_disfavoredOverload @discardableResult
    public func PUT(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        PUT(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends PATCH with the parameters of a dictionary, sorted by name.
    @_disfavoredOverload @discardableResult
    public func PATCH(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        PATCH(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends DELETE with the parameters of a dictionary, sorted by name.
    @_disfavoredOverload @discardableResult
    public func DELETE(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        DELETE(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends OPTIONS with the parameters of a dictionary, sorted by name.
    @_disfavoredOverload @discardableResult
    public func OPTIONS(
        _ path: Request.Path, parameters: [String: any ParameterConvertible], options: [Request.Option] = []
    ) -> ServiceTask {
        OPTIONS(path, parameters: Parameters(parameters), options: options)
    }

    /// Sends a request with the parameters of a dictionary, sorted by name.
    @_disfavoredOverload @discardableResult
    public func request(
        _ method: Request.Method, path: Request.Path, parameters: [String: any ParameterConvertible],
        options: [Request.Option] = []
    ) -> ServiceTask {
        request(method, path: path, parameters: Parameters(parameters), options: options)
    }
}
