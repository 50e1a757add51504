extension JSON: Hashable {
    /// Whether both have the same content. The order of members and the spelling of numbers don't matter:
    /// `1`, `1.0` and `1e0` are equal. Strings compare as Swift's do. ``missing`` equals only itself.
    public static func == (left: JSON, right: JSON) -> Bool {
        switch (left.content, right.content) {
        case (.missing, .missing), (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right || JSONNumber(left) == JSONNumber(right)
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object, .object): left.object == right.object
        default: false
        }
    }

    /// Feeds what equality looks at into the hasher.
    public func hash(into hasher: inout Hasher) {
        switch content {
        case .missing: hasher.combine(0)
        case .null: hasher.combine(1)
        case .bool(let bool): hasher.combine(bool)
        case .number(let text): hasher.combine(JSONNumber(text))
        case .string(let string): hasher.combine(string)
        case .array(let elements): hasher.combine(elements)
        case .object: hasher.combine(object)
        }
    }
}
