extension WebService: CustomStringConvertible, CustomReflectable {
    /// The redacted base URL, for a log.
    public var description: String { "WebService(\(logRedaction.redactedURL(baseURLString)))" }

    /// An empty mirror, so that `dump` shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
