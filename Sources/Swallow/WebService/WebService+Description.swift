extension WebService: CustomStringConvertible, CustomReflectable {
    /// The base URL without secrets, for a log.
    public var description: String { "WebService(\(logRedaction.redactedURL(baseURLString)))" }

    /// An empty mirror, so that `dump` and debuggers show no secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
