/// A challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
struct AuthenticationChallenge: Sendable, Hashable {
    let scheme: String
    private(set) var parameters: [String: String] = [:]

    static func challenges(in field: String) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        var scanner = FieldScanner(field)
        while true {
            repeat { scanner.skipSpaces() } while scanner.skip(",")
            let word = scanner.text(before: ",= \t")
            guard HTTPSyntax.isToken(word) else { return challenges }
            scanner.skipSpaces()
            if let last = challenges.indices.last, scanner.skip("=") {
                let (name, value) = (word.lowercased(), scanner.parameterValue(before: ", \t"))
                if scanner.isUnclosed { return challenges }
                if challenges[last].parameters[name] == nil { challenges[last].parameters[name] = value }
            } else {
                challenges.append(AuthenticationChallenge(scheme: word.lowercased()))
                // A token68 (§11.2) may replace the parameters, and may end with equals signs.
                var ahead = scanner
                let token = ahead.text(before: ", \t")
                if token.contains("="), token.drop(while: { $0 != "=" }).allSatisfy({ $0 == "=" }) {
                    scanner = ahead
                }
            }
        }
    }
}
