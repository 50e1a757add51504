extension WebService.Configuration {
    /// Unavailable: services create their configurations.
    @available(
        *, unavailable,
        message: "Services create configurations. Write service.configure { $0.retry = .standard }."
    )
    public init(_ unavailable: Never? = nil) {
        self.init(standardTransformers: StandardTransformer.all)
    }
}
