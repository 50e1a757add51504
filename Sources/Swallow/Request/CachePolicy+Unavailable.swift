extension CachePolicy {
    /// Unavailable. The policy is named `standard`.
    @available(*, unavailable, renamed: "standard")
    public static var useProtocolCachePolicy: CachePolicy { .standard }

    /// Unavailable. The policy is named `reload`.
    @available(*, unavailable, renamed: "reload")
    public static var reloadIgnoringLocalCacheData: CachePolicy { .reload }

    /// Unavailable. The policy is named `reload`.
    @available(*, unavailable, renamed: "reload")
    public static var reloadIgnoringCacheData: CachePolicy { .reload }

    /// Unavailable. The header field `Cache-Control: no-cache` applies to the caches of the network.
    @available(
        *, unavailable,
        message: "Write .reload, and .header(.cacheControl, \"no-cache\") for the caches of the network."
    )
    public static var reloadIgnoringLocalAndRemoteCacheData: CachePolicy { .reload }

    /// Unavailable. The policy is named `validate`.
    @available(*, unavailable, renamed: "validate")
    public static var reloadRevalidatingCacheData: CachePolicy { .validate }

    /// Unavailable. The maximum age has no default.
    @available(*, unavailable, message: "Write .preferCache(maxAge: .seconds(86_400)).")
    public static var returnCacheDataElseLoad: CachePolicy { .standard }

    /// Unavailable. The policy is named `onlyCache`.
    @available(*, unavailable, renamed: "onlyCache")
    public static var returnCacheDataDontLoad: CachePolicy { .onlyCache }
}
