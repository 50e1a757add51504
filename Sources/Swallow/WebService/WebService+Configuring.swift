extension WebService {
    /// Configures all requests with a stored closure: `service.configure(settings)`. See ``configure(_:methods:_:)``.
    public mutating func configure(_ configurer: @escaping @Sendable (inout Configuration) -> Void) {
        configure(.all, methods: nil, configurer)
    }

    /// Returns a copy with a stored closure added. See ``configure(_:methods:_:)``.
    public func configured(_ configurer: @escaping @Sendable (inout Configuration) -> Void) -> WebService {
        configured(.all, methods: nil, configurer)
    }

    /// Returns a copy with another closure, so that the service can be a constant. See ``configure(_:methods:_:)``.
    public func configured(
        _ pattern: URLPattern = .all, methods: Set<Request.Method>? = nil,
        _ configurer: @escaping @Sendable (inout Configuration) -> Void
    ) -> WebService {
        var service = self
        service.configure(pattern, methods: methods, configurer)
        return service
    }
}
