@available(
    *, unavailable,
    message: """
        Write parameters: for a query, and options: [.header(.accept, text)] for a header. Write [String: any \
        ParameterConvertible] or Parameters(encoding:) for parameters, and .array(1, "a") for a mixed array.
        """
)
extension WebService {
    /// Unavailable. Pass a query as `parameters` without `Any`, and headers as `options`.
    @_disfavoredOverload @discardableResult
    public func GET(
        _ path: Request.Path, parameters: [String: Any] = [:], query: [String: Any] = [:],
        headers: Any? = nil, options: [Request.Option] = []
    ) -> ServiceTask {
        GET(path, options: options)
    }

    /// Unavailable. Pass a query as `parameters` without `Any`, and headers as `options`.
    @_disfavoredOverload @discardableResult
    public func HEAD(
        _ path: Request.Path, parameters: [String: Any] = [:], query: [String: Any] = [:],
        headers: Any? = nil, options: [Request.Option] = []
    ) -> ServiceTask {
        HEAD(path, options: options)
    }
}

@available(
    *, unavailable,
    message: """
        Write options: [.json(value), .body(data, contentType: text), .header(.accept, text), .query([:])]. Write \
        [String: any ParameterConvertible] or Parameters(encoding:) for parameters, and .array(1, "a") for a mixed array.
        """
)
extension WebService {
    /// Unavailable. Pass parameters without `Any`, and headers, queries and bodies as `options`.
    @_disfavoredOverload @discardableResult
    public func OPTIONS(
        _ path: Request.Path, parameters: [String: Any] = [:], query: [String: Any] = [:],
        headers: Any? = nil, body: Any? = nil, json: Any? = nil, options: [Request.Option] = []
    ) -> ServiceTask {
        OPTIONS(path, options: options)
    }

    /// Unavailable. Pass parameters without `Any`, and headers, queries and bodies as `options`.
    @_disfavoredOverload @discardableResult
    public func POST(
        _ path: Request.Path, parameters: [String: Any] = [:], query: [String: Any] = [:],
        headers: Any? = nil, body: Any? = nil, json: Any? = nil, options: [Request.Option] = []
    ) -> ServiceTask {
        POST(path, options: options)
    }

    /// Unavailable. Pass parameters without `Any`, and headers, queries and bodies as `options`.
    @_disfavoredOverload @discardableResult
    public func PUT(
        _ path: Request.Path, parameters: [String: Any] = [:], query: [String: Any] = [:],
        headers: Any? = nil, body: Any? = nil, json: Any? = nil, options: [Request.Option] = []
    ) -> ServiceTask {
        PUT(path, options: options)
    }

    /// Unavailable. Pass parameters without `Any`, and headers, queries and bodies as `options`.
    @_disfavoredOverload @discardableResult
    public func PATCH(
        _ path: Request.Path, parameters: [String: Any] = [:], query: [String: Any] = [:],
        headers: Any? = nil, body: Any? = nil, json: Any? = nil, options: [Request.Option] = []
    ) -> ServiceTask {
        PATCH(path, options: options)
    }

    /// Unavailable. Pass parameters without `Any`, and headers, queries and bodies as `options`.
    @_disfavoredOverload @discardableResult
    public func DELETE(
        _ path: Request.Path, parameters: [String: Any] = [:], query: [String: Any] = [:],
        headers: Any? = nil, body: Any? = nil, json: Any? = nil, options: [Request.Option] = []
    ) -> ServiceTask {
        DELETE(path, options: options)
    }
}

extension WebService {
    /// Unavailable. Use the function in capitals, as HTTP writes methods.
    @available(*, unavailable, renamed: "GET")
    @_disfavoredOverload @discardableResult
    public func get(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        GET(path, parameters: parameters, options: options)
    }

    /// Unavailable. Use the function in capitals, as HTTP writes methods.
    @available(*, unavailable, renamed: "HEAD")
    @_disfavoredOverload @discardableResult
    public func head(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        HEAD(path, parameters: parameters, options: options)
    }

    /// Unavailable. Use the function in capitals, as HTTP writes methods.
    @available(*, unavailable, renamed: "POST")
    @_disfavoredOverload @discardableResult
    public func post(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        POST(path, parameters: parameters, options: options)
    }

    /// Unavailable. Use the function in capitals, as HTTP writes methods.
    @available(*, unavailable, renamed: "PUT")
    @_disfavoredOverload @discardableResult
    public func put(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        PUT(path, parameters: parameters, options: options)
    }

    /// Unavailable. Use the function in capitals, as HTTP writes methods.
    @available(*, unavailable, renamed: "PATCH")
    @_disfavoredOverload @discardableResult
    public func patch(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        PATCH(path, parameters: parameters, options: options)
    }

    /// Unavailable. Use the function in capitals, as HTTP writes methods.
    @available(*, unavailable, renamed: "DELETE")
    @_disfavoredOverload @discardableResult
    public func delete(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        DELETE(path, parameters: parameters, options: options)
    }

    /// Unavailable. Use the function in capitals, as HTTP writes methods.
    @available(*, unavailable, renamed: "OPTIONS")
    @_disfavoredOverload @discardableResult
    public func options(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        OPTIONS(path, parameters: parameters, options: options)
    }
}
