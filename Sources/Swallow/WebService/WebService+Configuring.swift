extension WebService {
    /// Configures all requests with a closure in a variable. See ``configure(_:methods:_:)``.
    public mutating func configure(_ configurer: @escaping @Sendable (inout Configuration) -> Void) {
        configure(.all, methods: nil, configurer)
    }

    /// Returns a copy that configures all requests with a closure in a variable. See ``configure(_:methods:_:)``.
    public func configured(_ configurer: @escaping @Sendable (inout Configuration) -> Void) -> WebService {
        configured(.all, methods: nil, configurer)
    }

    /// Returns a copy with an added closure, so that the service can be a constant. See ``configure(_:methods:_:)``.
    public func configured(
        _ pattern: URLPattern = .all, methods: Set<Request.Method>? = nil,
        _ configurer: @escaping @Sendable (inout Configuration) -> Void
    ) -> WebService {
        var service = self
        service.configure(pattern, methods: methods, configurer)
        return service
    }
}
