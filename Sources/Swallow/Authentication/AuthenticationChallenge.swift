/// A challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
struct AuthenticationChallenge: Sendable, Hashable {
    let scheme: String
    private(set) var parameters: [String: String] = [:]

    static func challenges(in field: String) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        var rest = field[...]
        while true {
            rest = rest.drop { $0 == "," || $0.isASCIISpace }
            let word = rest.prefix { $0 != "," && $0 != "=" && !$0.isASCIISpace }
            guard HTTPSyntax.isToken(word) else { return challenges }
            rest = rest[word.endIndex...]
            let afterSpace = rest.drop(while: \.isASCIISpace)
            if afterSpace.first == "=", let last = challenges.indices.last {
                rest = afterSpace.dropFirst().drop(while: \.isASCIISpace)
                guard let value = takeValue(&rest) else { return challenges }
                let name = word.lowercased()
                if challenges[last].parameters[name] == nil { challenges[last].parameters[name] = value }
            } else {
                challenges.append(AuthenticationChallenge(scheme: word.lowercased()))
                // A token68 (§11.2) may replace the parameters, and may end with equals signs.
                let token = afterSpace.prefix { $0 != "," && !$0.isASCIISpace }
                if token.contains("="), token.drop(while: { $0 != "=" }).allSatisfy({ $0 == "=" }) {
                    rest = afterSpace[token.endIndex...]
                }
            }
        }
    }

    private static func takeValue(_ rest: inout Substring) -> String? {
        guard rest.first == "\"" else {
            let token = rest.prefix { $0 != "," && !$0.isASCIISpace }
            rest = rest[token.endIndex...]
            return String(token)
        }
        var value = ""
        var isEscaped = false
        for index in rest.indices.dropFirst() {
            switch rest[index] {
            case _ where isEscaped:
                value.append(rest[index])
                isEscaped = false
            case "\\": isEscaped = true
            case "\"":
                rest = rest[rest.index(after: index)...]
                return value
            default: value.append(rest[index])
            }
        }
        return nil
    }
}

extension Character {
    fileprivate var isASCIISpace: Bool { self == " " || self == "\t" }
}
