extension JSON {
    /// Returns `nil` to keep the value and replace inside it. `path` has names of members and indices of elements.
    package typealias Replacement = (_ path: [String], _ value: JSON, _ parent: JSON) -> JSON?

    package func replacing(_ replacement: Replacement) -> JSON {
        var path: [String] = []
        return JSONBuilder.document { $0.append(self, in: .missing, at: &path, replacement) }
    }
}

extension JSONBuilder {
    fileprivate mutating func append(
        _ json: JSON, in parent: JSON, at path: inout [String], _ replacement: JSON.Replacement
    ) {
        if let other = replacement(path, json, parent) { return append(other) }
        guard let kind = json.word?.kind, kind == .array || kind == .object else { return append(json) }
        append(kind, count: json.count) { builder in
            for (index, element) in json.elements.enumerated() {
                path.append("\(index)")
                builder.append(element, in: json, at: &path, replacement)
                path.removeLast()
            }
            for (name, value) in json.members {
                path.append(name)
                builder.append(name)
                builder.append(value, in: json, at: &path, replacement)
                path.removeLast()
            }
        }
    }
}
