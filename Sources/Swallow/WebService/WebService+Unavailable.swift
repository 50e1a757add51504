@available(
    *, unavailable,
    message:
        "Write [String: any ParameterConvertible] or Parameters(encoding:). Write mixed arrays as .array(1, \"a\")."
)
extension WebService {
    /// Unavailable. A dictionary of `Any` may contain values that can't be sent as parameters.
    @_disfavoredOverload @discardableResult
    public func GET(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        GET(path, options: options)
    }

    /// Unavailable. A dictionary of `Any` may contain values that can't be sent as parameters.
    @_disfavoredOverload @discardableResult
    public func HEAD(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        HEAD(path, options: options)
    }

    /// Unavailable. A dictionary of `Any` may contain values that can't be sent as parameters.
    @_disfavoredOverload @discardableResult
    public func POST(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        POST(path, options: options)
    }

    /// Unavailable. A dictionary of `Any` may contain values that can't be sent as parameters.
    @_disfavoredOverload @discardableResult
    public func PUT(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        PUT(path, options: options)
    }

    /// Unavailable. A dictionary of `Any` may contain values that can't be sent as parameters.
    @_disfavoredOverload @discardableResult
    public func PATCH(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        PATCH(path, options: options)
    }

    /// Unavailable. A dictionary of `Any` may contain values that can't be sent as parameters.
    @_disfavoredOverload @discardableResult
    public func DELETE(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        DELETE(path, options: options)
    }

    /// Unavailable. A dictionary of `Any` may contain values that can't be sent as parameters.
    @_disfavoredOverload @discardableResult
    public func OPTIONS(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        OPTIONS(path, options: options)
    }
}
