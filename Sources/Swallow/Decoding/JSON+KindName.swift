extension JSON {
    /// What the value is, in JSON's words; a look at the kind, not for the way to success.
    var kindName: String {
        if !exists { return "nothing" }
        if isNull { return "null" }
        if bool != nil { return "boolean" }
        if string != nil { return "string" }
        if isArray { return "array" }
        return isObject ? "object" : "number"
    }

    /// Whether the value is an object, an empty one included.
    @usableFromInline var isObject: Bool {
        @_effects(releasenone) get { kind == .object }
    }

    /// Whether the value is an array, an empty one included.
    @usableFromInline var isArray: Bool {
        @_effects(releasenone) get { kind == .array }
    }
}
