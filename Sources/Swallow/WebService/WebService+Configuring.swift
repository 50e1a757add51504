extension WebService {
    /// Configures all requests with a stored closure: `service.configure(settings)`. See ``configure(_:methods:_:)``.
    public mutating func configure(_ configurer: @escaping @Sendable (inout Configuration) -> Void) {
        configure(.all, methods: nil, configurer)
    }

    /// Returns a copy that a stored closure configures further. See ``configure(_:methods:_:)``.
    public func configured(_ configurer: @escaping @Sendable (inout Configuration) -> Void) -> WebService {
        configured(.all, methods: nil, configurer)
    }

    /// Returns a copy that is configured further, so that the service can be a constant.
    ///
    /// ```swift
    /// static let stores = WebService(baseURLString: "https://api.example.com/v1")
    ///     .configured { $0.headers[.userAgent] = "StoreApp/1.0" }
    /// ```
    ///
    /// See ``configure(_:methods:_:)``.
    public func configured(
        _ pattern: URLPattern = .all, methods: Set<Request.Method>? = nil,
        _ configurer: @escaping @Sendable (inout Configuration) -> Void
    ) -> WebService {
        var service = self
        service.configure(pattern, methods: methods, configurer)
        return service
    }
}
