extension Duration {
    /// The duration in seconds.
    public var seconds: Double { self / .seconds(1) }
}
