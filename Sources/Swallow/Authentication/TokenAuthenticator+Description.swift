extension TokenAuthenticator.Token: CustomStringConvertible, CustomReflectable {
    /// The expiry date. It doesn't include the token, which is secret.
    public var description: String {
        "Token(\(LogRedaction.placeholder)\(expires.map { ", expires \($0)" } ?? ""))"
    }

    /// Neither `dump` nor a debugger shows the properties, because these are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
