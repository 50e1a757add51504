extension TokenAuthenticator.Token: CustomStringConvertible, CustomReflectable {
    /// A text with the expiry date, if it is known, but without the secret token.
    public var description: String {
        "Token(\(LogRedaction.placeholder)\(expires.map { ", expires \($0)" } ?? ""))"
    }

    /// An empty mirror, so that neither `dump` nor a debugger shows the secret token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
