extension WebService {
    /// Configures all requests. See ``configure(_:methods:_:)``.
    public mutating func configure(_ configurer: @escaping @Sendable (inout Configuration) -> Void) {
        configure(.all, methods: nil, configurer)
    }

    /// Returns a copy of the service that configures all requests. See ``configure(_:methods:_:)``.
    public func configured(_ configurer: @escaping @Sendable (inout Configuration) -> Void) -> WebService {
        configured(.all, methods: nil, configurer)
    }

    /// Returns a copy of the service that configures matching requests. See ``configure(_:methods:_:)``.
    public func configured(
        _ pattern: URLPattern = .all, methods: Set<Request.Method>? = nil,
        _ configurer: @escaping @Sendable (inout Configuration) -> Void
    ) -> WebService {
        var service = self
        service.configure(pattern, methods: methods, configurer)
        return service
    }
}
