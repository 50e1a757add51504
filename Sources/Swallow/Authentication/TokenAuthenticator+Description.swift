extension TokenAuthenticator.Token: CustomStringConvertible, CustomReflectable {
    /// The expiry date, if it is known. The token isn't included, because it is secret.
    public var description: String {
        "Token(\(LogRedaction.placeholder)\(expires.map { ", expires \($0)" } ?? ""))"
    }

    /// Neither `dump` nor a debugger shows the properties, because these are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
