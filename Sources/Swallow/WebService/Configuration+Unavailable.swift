extension WebService.Configuration {
    /// Unavailable. Call ``WebService/configure(_:methods:_:)`` to change the configuration.
    @available(
        *, unavailable,
        message: "Services create configurations. Write service.configure { $0.retry = .standard }."
    )
    public init(_ unavailable: Never? = nil) {
        self.init(standardTransformers: StandardTransformer.all)
    }
}
