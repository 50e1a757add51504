import Swallow

/// Places in a JSON document: `$.user.email`, `$.items[*].price`, `$.list[0]`, `$['odd name']`, and `$..token` for a
/// name at any depth. The `$` may be left out.
struct JSONPath: Sendable {
    private enum Step {
        case member(String)
        case element(Int)
        case each
        /// A name, here or deeper.
        case anywhere(String)
    }

    /// The path as it was written.
    let text: String
    private let steps: [Step]?

    /// Takes a path; one that can't be understood is an error where it is used.
    init(_ text: String) {
        self.text = text
        steps = Self.steps(of: text)
    }

    /// Whether it can be understood.
    var isValid: Bool { steps != nil }

    /// The same document with other values in these places.
    func changing(_ json: JSON, _ change: (JSON) -> JSON) -> JSON {
        steps.map { Self.changing(json, $0[...], change) } ?? json
    }

    private static func steps(of text: String) -> [Step]? {
        var rest = text[...]
        if rest.first == "$" { rest = rest.dropFirst() } else if rest.first != "[" { rest = ".\(rest)"[...] }
        var steps: [Step] = []
        while !rest.isEmpty {
            if let match = rest.prefixMatch(of: /\.\.([^.\[\]*]+)/) {
                steps.append(.anywhere(String(match.1)))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\.\*|\[\*\]/) {
                steps.append(.each)
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\.([^.\[\]*]+)|\['([^']+)'\]|\["([^"]+)"\]/) {
                steps.append(.member(String(match.1 ?? match.2 ?? match.3 ?? "")))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\[(\d+)\]/), let index = Int(match.1) {
                steps.append(.element(index))
                rest = rest[match.range.upperBound...]
            } else {
                return nil
            }
        }
        return steps.isEmpty ? nil : steps
    }

    private static func changing(
        _ json: JSON, _ steps: ArraySlice<Step>, _ change: (JSON) -> JSON
    ) -> JSON {
        guard let step = steps.first else { return change(json) }
        let rest = steps.dropFirst()
        return json.mapParts { name, index, value in
            switch step {
            case .member(let wanted): name == wanted ? changing(value, rest, change) : value
            case .element(let wanted): index == wanted && name == nil ? changing(value, rest, change) : value
            case .each: changing(value, rest, change)
            case .anywhere(let wanted):
                changing(name == wanted ? changing(value, rest, change) : value, steps, change)
            }
        }
    }
}

extension JSON {
    /// The same object or array with other values; any other value as it is.
    func mapParts(_ transform: (_ name: String?, _ index: Int, JSON) -> JSON) -> JSON {
        if array != nil { return .array(elements.enumerated().map { transform(nil, $0, $1) }) }
        if object == nil { return self }
        return .object(members.enumerated().map { ($1.key, transform($1.key, $0, $1.value)) })
    }
}
