extension Request: CustomStringConvertible, CustomReflectable {
    /// The method and the redacted URL with its query, for a log.
    public var description: String {
        "\(method) \(conventions.logRedaction.redactedURL(fullURLString))"
    }

    /// The redacted header fields. Other properties aren't shown, because they may be secret.
    public var customMirror: Mirror {
        let fields = conventions.logRedaction.redacted(headers)
        return Mirror(self, children: fields.map { (label: $0.name.rawValue, value: $0.value) })
    }
}
