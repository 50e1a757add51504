extension ServiceTask: CustomStringConvertible, CustomReflectable {
    /// The method and the URL of the request, without secrets, as the log shows them.
    public var description: String { "ServiceTask(\(request))" }

    /// The request, without secrets. Neither `dump` nor a debugger shows other properties, because these may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["request": request]) }
}
