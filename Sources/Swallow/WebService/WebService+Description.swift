extension WebService: CustomStringConvertible, CustomReflectable {
    /// The base URL, redacted.
    public var description: String { "WebService(\(logRedaction.redactedURL(baseURLString)))" }

    /// Neither `dump` nor a debugger shows the properties, because these may be secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
