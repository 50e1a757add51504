import Foundation

/// A digest challenge (RFC 7616 §3.3). `answer` returns the `Authorization` field for a request (§3.4).
struct DigestChallenge: Sendable, Hashable {
    enum Hash: String, Sendable, CaseIterable {
        case md5 = "MD5"
        case sha256 = "SHA-256"
        case sha512 = "SHA-512-256"

        func callAsFunction(_ text: String) -> String {
            switch self {
            case .md5: MD5.hexDigest(of: text)
            case .sha256: SHA256.hexDigest(of: text)
            case .sha512: SHA512.hexDigest256(of: text)
            }
        }
    }

    struct Session: Sendable {
        var nonce: String
        var count: Int
        var clientNonce: String
    }

    let realm: String
    let nonce: String
    let opaque: String?
    let hash: Hash
    /// Whether the algorithm is a `-sess` algorithm, whose secret depends on the session's first nonces (§3.4.2).
    let isSession: Bool
    /// The algorithm to send back. `nil` if the challenge has no algorithm, because such servers don't expect it.
    private let algorithm: String?
    let hasQuality: Bool
    let isStale: Bool

    init?(_ response: HTTPURLResponse) {
        let challenges = Self.challenges(of: response).compactMap(DigestChallenge.init)
        let best = Hash.allCases.reversed().lazy.compactMap { hash in challenges.first { $0.hash == hash } }
            .first
        guard let best else { return nil }
        self = best
    }

    static func wantsIntegrity(_ response: HTTPURLResponse) -> Bool {
        challenges(of: response).contains { challenge in
            let qualities = challenge.parameters["qop"].map(HTTPSyntax.elements) ?? []
            return challenge.scheme == "digest" && qualities.contains("auth-int")
        }
    }

    /// Returns the nonce that a response states for the next requests (§3.5).
    static func nextNonce(_ response: HTTPURLResponse) -> String? {
        guard let field = response.value(forHTTPHeaderField: "Authentication-Info") else { return nil }
        return AuthenticationChallenge.challenges(in: "Digest \(field)").first?.parameters["nextnonce"]
    }

    private static func challenges(of response: HTTPURLResponse) -> [AuthenticationChallenge] {
        response.value(forHTTPHeaderField: "WWW-Authenticate").map(AuthenticationChallenge.challenges) ?? []
    }

    init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        let algorithm = parameters["algorithm"]?.uppercased()
        let isSession = algorithm?.hasSuffix("-SESS") ?? false
        guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"],
            let hash = Hash(rawValue: String((algorithm ?? "MD5").dropLast(isSession ? 5 : 0)))
        else { return nil }
        let qualities = parameters["qop"].map(HTTPSyntax.elements)
        if let qualities, !qualities.contains("auth") { return nil }
        // A `-sess` algorithm needs a client nonce, which is only sent with `qop`.
        if isSession, qualities == nil { return nil }
        self.realm = realm
        self.nonce = nonce
        self.hash = hash
        self.isSession = isSession
        self.algorithm = isSession ? "\(hash.rawValue)-sess" : algorithm
        opaque = parameters["opaque"]
        hasQuality = qualities != nil
        isStale = parameters["stale"]?.lowercased() == "true"
    }

    func answer(
        user: String, password: String, method: String, target: String, in session: Session
    ) -> String {
        let (nonce, clientNonce) = (session.nonce, session.clientNonce)
        let count = String(format: "%08x", session.count)
        var secret = hash("\(user):\(realm):\(password)")
        if isSession { secret = hash("\(secret):\(self.nonce):\(clientNonce)") }
        let request = hash("\(method):\(target)")
        let proof =
            hasQuality
            ? "\(secret):\(nonce):\(count):\(clientNonce):auth:\(request)"
            : "\(secret):\(nonce):\(request)"
        var fields = [
            "username=\(user.quoted)", "realm=\(realm.quoted)", "nonce=\(nonce.quoted)",
            "uri=\(target.quoted)", "response=\"\(hash(proof))\"",
        ]
        if let algorithm { fields.append("algorithm=\(algorithm)") }
        if let opaque { fields.append("opaque=\(opaque.quoted)") }
        if hasQuality { fields += ["qop=auth", "nc=\(count)", "cnonce=\(clientNonce.quoted)"] }
        return "Digest " + fields.joined(separator: ", ")
    }
}

extension URL {
    /// The path and the query, as in the request line (RFC 9112 §3.2.1).
    var requestTarget: String {
        let path = path(percentEncoded: true)
        let target = path.isEmpty ? "/" : path
        return query(percentEncoded: true).map { "\(target)?\($0)" } ?? target
    }
}

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
