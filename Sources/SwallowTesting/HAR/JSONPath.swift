import Swallow

/// Places in a JSON document: `$.user.email`, `$.items[*].price`, `$.list[0]`, `$['odd name']`, and `$..token` for a
/// name at any depth. The `$` may be left out.
struct JSONPath: Sendable {
    private struct Step {
        /// A name, or the number of an element; nil for each.
        let key: String?
        var isAnywhere = false
    }

    let text: String
    /// Nil if the path can't be read.
    private let steps: [Step]?

    init(_ text: String) {
        self.text = text
        var rest = text[...]
        if rest.first == "$" { rest.removeFirst() } else if rest.first != "[" { rest = ".\(rest)" }
        var steps: [Step] = []
        while let match = rest.prefixMatch(
            of: /\.\.([^.\[\]*]+)|(\.\*|\[\*\])|\.([^.\[\]*]+)|\['([^']+)'\]|\["([^"]+)"\]|\[(\d+)\]/)
        {
            let key = match.1 ?? match.3 ?? match.4 ?? match.5 ?? match.6
            steps.append(Step(key: key.map { String($0) }, isAnywhere: match.1 != nil))
            rest = rest[match.range.upperBound...]
        }
        self.steps = steps.isEmpty || !rest.isEmpty ? nil : steps
    }

    var isValid: Bool { steps != nil }

    /// Returns the document with other values in these places.
    func changing(_ json: JSON, _ change: (JSON) -> JSON) -> JSON {
        steps.map { Self.changing(json, $0[...], change) } ?? json
    }

    private static func changing(_ json: JSON, _ steps: ArraySlice<Step>, _ change: (JSON) -> JSON) -> JSON {
        guard let step = steps.first else { return change(json) }
        return json.mapParts { key, value in
            let isMatch = step.key == nil || step.key == key
            let changed = isMatch ? changing(value, steps.dropFirst(), change) : value
            return step.isAnywhere ? changing(changed, steps, change) : changed
        }
    }
}

extension JSON {
    /// Returns this object or array with other values, and any other value unchanged. The keys of an array are numbers.
    func mapParts(_ transform: (_ key: String, JSON) -> JSON) -> JSON {
        if kind == .array { return .array(elements.enumerated().map { transform("\($0)", $1) }) }
        return kind == .object ? .object(members.map { ($0.key, transform($0.key, $0.value)) }) : self
    }
}
