// The compiler's messages for paths and parameters of types that can't be sent. None of these can be called.

extension WebService {
    /// Unavailable: a path isn't a `String`.
    @available(
        *, unavailable,
        message:
            "Write Request.Path(text), or a literal such as \"/users/\\(id)\" with values that aren't optional."
    )
    @_disfavoredOverload @discardableResult
    public func GET(
        _ path: String, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        GET(Request.Path(path), parameters: parameters, options: options)
    }

    /// Unavailable: a path isn't a `String`.
    @available(
        *, unavailable,
        message:
            "Write Request.Path(text), or a literal such as \"/users/\\(id)\" with values that aren't optional."
    )
    @_disfavoredOverload @discardableResult
    public func HEAD(
        _ path: String, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        HEAD(Request.Path(path), parameters: parameters, options: options)
    }

    /// Unavailable: a path isn't a `String`.
    @available(
        *, unavailable,
        message:
            "Write Request.Path(text), or a literal such as \"/users/\\(id)\" with values that aren't optional."
    )
    @_disfavoredOverload @discardableResult
    public func POST(
        _ path: String, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        POST(Request.Path(path), parameters: parameters, options: options)
    }

    /// Unavailable: a path isn't a `String`.
    @available(
        *, unavailable,
        message:
            "Write Request.Path(text), or a literal such as \"/users/\\(id)\" with values that aren't optional."
    )
    @_disfavoredOverload @discardableResult
    public func PUT(
        _ path: String, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        PUT(Request.Path(path), parameters: parameters, options: options)
    }

    /// Unavailable: a path isn't a `String`.
    @available(
        *, unavailable,
        message:
            "Write Request.Path(text), or a literal such as \"/users/\\(id)\" with values that aren't optional."
    )
    @_disfavoredOverload @discardableResult
    public func PATCH(
        _ path: String, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        PATCH(Request.Path(path), parameters: parameters, options: options)
    }

    /// Unavailable: a path isn't a `String`.
    @available(
        *, unavailable,
        message:
            "Write Request.Path(text), or a literal such as \"/users/\\(id)\" with values that aren't optional."
    )
    @_disfavoredOverload @discardableResult
    public func DELETE(
        _ path: String, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        DELETE(Request.Path(path), parameters: parameters, options: options)
    }

    /// Unavailable: a path isn't a `String`.
    @available(
        *, unavailable,
        message:
            "Write Request.Path(text), or a literal such as \"/users/\\(id)\" with values that aren't optional."
    )
    @_disfavoredOverload @discardableResult
    public func OPTIONS(
        _ path: String, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        OPTIONS(Request.Path(path), parameters: parameters, options: options)
    }
}

extension WebService {
    /// Unavailable: parameters aren't `Any`.
    @available(
        *, unavailable,
        message:
            "Write [String: any ParameterConvertible] or Parameters(encoding:). Write mixed arrays as .array(1, \"a\")."
    )
    @_disfavoredOverload @discardableResult
    public func GET(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        GET(path, options: options)
    }

    /// Unavailable: parameters aren't `Any`.
    @available(
        *, unavailable,
        message:
            "Write [String: any ParameterConvertible] or Parameters(encoding:). Write mixed arrays as .array(1, \"a\")."
    )
    @_disfavoredOverload @discardableResult
    public func HEAD(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        HEAD(path, options: options)
    }

    /// Unavailable: parameters aren't `Any`.
    @available(
        *, unavailable,
        message:
            "Write [String: any ParameterConvertible] or Parameters(encoding:). Write mixed arrays as .array(1, \"a\")."
    )
    @_disfavoredOverload @discardableResult
    public func POST(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        POST(path, options: options)
    }

    /// Unavailable: parameters aren't `Any`.
    @available(
        *, unavailable,
        message:
            "Write [String: any ParameterConvertible] or Parameters(encoding:). Write mixed arrays as .array(1, \"a\")."
    )
    @_disfavoredOverload @discardableResult
    public func PUT(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        PUT(path, options: options)
    }

    /// Unavailable: parameters aren't `Any`.
    @available(
        *, unavailable,
        message:
            "Write [String: any ParameterConvertible] or Parameters(encoding:). Write mixed arrays as .array(1, \"a\")."
    )
    @_disfavoredOverload @discardableResult
    public func PATCH(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        PATCH(path, options: options)
    }

    /// Unavailable: parameters aren't `Any`.
    @available(
        *, unavailable,
        message:
            "Write [String: any ParameterConvertible] or Parameters(encoding:). Write mixed arrays as .array(1, \"a\")."
    )
    @_disfavoredOverload @discardableResult
    public func DELETE(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        DELETE(path, options: options)
    }

    /// Unavailable: parameters aren't `Any`.
    @available(
        *, unavailable,
        message:
            "Write [String: any ParameterConvertible] or Parameters(encoding:). Write mixed arrays as .array(1, \"a\")."
    )
    @_disfavoredOverload @discardableResult
    public func OPTIONS(
        _ path: Request.Path, parameters: [String: Any], options: [Request.Option] = []
    ) -> ServiceTask {
        OPTIONS(path, options: options)
    }
}
