extension Duration {
    public var seconds: Double { self / .seconds(1) }
}
