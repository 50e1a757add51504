extension ServiceTask: CustomStringConvertible, CustomReflectable {
    /// The request's method and its URL without secrets, as in the log.
    public var description: String { "ServiceTask(\(request))" }

    /// The children that `dump` and debuggers show. Only the request is shown, because other properties may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["request": request]) }
}
