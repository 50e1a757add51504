extension WebService {
    /// Reads a resource (RFC 9110 §9.3.1). Parameters are sent in the query. The returned task is already running,
    /// unless ``startTasksImmediately`` is false.
    @discardableResult
    public func GET(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.GET, path: path, parameters: parameters, options: options)
    }

    /// Reads a resource's head (RFC 9110 §9.3.2). Parameters are sent in the query.
    @discardableResult
    public func HEAD(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.HEAD, path: path, parameters: parameters, options: options)
    }

    /// Sends a body for the resource to process (RFC 9110 §9.3.3). Parameters are sent in the body.
    @discardableResult
    public func POST(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.POST, path: path, parameters: parameters, options: options)
    }

    /// Replaces a resource (RFC 9110 §9.3.4). Parameters are sent in the body.
    @discardableResult
    public func PUT(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.PUT, path: path, parameters: parameters, options: options)
    }

    /// Changes part of a resource (RFC 5789). Parameters are sent in the body.
    @discardableResult
    public func PATCH(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.PATCH, path: path, parameters: parameters, options: options)
    }

    /// Removes a resource (RFC 9110 §9.3.5). Parameters are sent in the body.
    @discardableResult
    public func DELETE(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.DELETE, path: path, parameters: parameters, options: options)
    }

    /// Requests the communication options of a resource (RFC 9110 §9.3.7). Parameters are sent in the body.
    @discardableResult
    public func OPTIONS(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.OPTIONS, path: path, parameters: parameters, options: options)
    }
}
