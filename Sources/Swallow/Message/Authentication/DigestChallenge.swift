import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A digest challenge (RFC 7616 §3.3), and the answer to it (§3.4).
struct DigestChallenge: Sendable, Hashable {
    enum Algorithm: String, Sendable {
        case sha256 = "SHA-256"
        case md5 = "MD5"

        func hash(_ text: String) -> String {
            switch self {
            case .sha256: SHA256.hexDigest(of: text)
            case .md5: MD5.hexDigest(of: text)
            }
        }
    }

    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: Algorithm
    /// Whether the field named the algorithm: servers of RFC 2069 don't expect it back.
    private let namesAlgorithm: Bool
    /// Whether the server knows of qualities of protection.
    let hasQuality: Bool
    /// Whether only the nonce was too old.
    let isStale: Bool

    /// The strongest of a response's challenges that can be answered; nil where there is none.
    init?(_ response: HTTPURLResponse) {
        guard let field = response.value(forHTTPHeaderField: "WWW-Authenticate") else { return nil }
        let challenges = AuthenticationChallenge.challenges(in: field).compactMap(DigestChallenge.init)
        guard let best = challenges.first(where: { $0.algorithm == .sha256 }) ?? challenges.first else {
            return nil
        }
        self = best
    }

    init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        let name = parameters["algorithm"]
        guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"],
            let algorithm = Algorithm(rawValue: (name ?? "MD5").uppercased())
        else { return nil }
        let qualities = parameters["qop"].map(HTTPSyntax.elements)
        if let qualities, !qualities.contains("auth") { return nil }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        opaque = parameters["opaque"]
        namesAlgorithm = name != nil
        hasQuality = qualities != nil
        isStale = parameters["stale"]?.lowercased() == "true"
    }

    /// The value of `Authorization`.
    func answer(
        user: String, password: String, method: String, target: String, count: Int, clientNonce: String
    ) -> String {
        let countDigits = String(format: "%08x", count)
        let secret = algorithm.hash("\(user):\(realm):\(password)")
        let request = algorithm.hash("\(method):\(target)")
        let proof =
            hasQuality
            ? "\(secret):\(nonce):\(countDigits):\(clientNonce):auth:\(request)"
            : "\(secret):\(nonce):\(request)"
        var fields = [
            "username=\(Self.quoted(user))", "realm=\(Self.quoted(realm))", "nonce=\(Self.quoted(nonce))",
            "uri=\(Self.quoted(target))", "response=\"\(algorithm.hash(proof))\"",
        ]
        if namesAlgorithm { fields.append("algorithm=\(algorithm.rawValue)") }
        if let opaque { fields.append("opaque=\(Self.quoted(opaque))") }
        if hasQuality { fields += ["qop=auth", "nc=\(countDigits)", "cnonce=\(Self.quoted(clientNonce))"] }
        return "Digest " + fields.joined(separator: ", ")
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.replacingScalar("\\", with: "\\\\").replacingScalar("\"", with: "\\\""))\""
    }
}

extension URL {
    /// What the request line says: path and query (RFC 9112 §3.2.1).
    var requestTarget: String {
        let path = path(percentEncoded: true)
        let target = path.isEmpty ? "/" : path
        return query(percentEncoded: true).map { "\(target)?\($0)" } ?? target
    }
}
