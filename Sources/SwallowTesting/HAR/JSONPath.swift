/// For example `$.user.email`, `$.items[*].price`, `$['odd name']` or `$..token` for any depth. The `$` is optional.
struct JSONPath: Sendable {
    /// Names of members, indices of elements, and `*` for all of them. `nil` stands for any number of levels.
    private var steps: [String?] = []

    /// Returns `nil` if the text isn't a path.
    init?(_ text: String) {
        var rest = text.first == "$" ? text.dropFirst() : text.first == "[" ? text[...] : ".\(text)"
        while let match = rest.prefixMatch(of: /(\.\.?)([^.\[\]]+)|\[(?:'([^']+)'|"([^"]+)"|(\d+|\*))\]/) {
            if match.1 == ".." { steps.append(nil) }
            steps.append(String(match.2 ?? match.3 ?? match.4 ?? match.5 ?? "*"))
            rest = rest[match.range.upperBound...]
        }
        if steps.isEmpty || !rest.isEmpty { return nil }
    }

    /// `path` consists of the names of members and the indices of elements.
    func matches(_ path: [String]) -> Bool { Self.matches(steps[...], path[...]) }

    private static func matches(_ steps: ArraySlice<String?>, _ path: ArraySlice<String>) -> Bool {
        guard let step = steps.last else { return path.isEmpty }
        let rest = steps.dropLast()
        guard let step else { return (0...path.count).contains { matches(rest, path.prefix($0)) } }
        return (step == "*" ? path.last != nil : step == path.last) && matches(rest, path.dropLast())
    }
}
