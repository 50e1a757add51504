import Foundation

/// Public keys one of which a server must have, whatever its certificate vouches for: each is the SHA-256 digest of a key's
/// SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
struct TLSPins {
    /// In Base64.
    let digests: [String]

    /// Makes pins of digests; with none of them, any key is taken.
    ///
    /// - Parameter digests: in Base64, with `sha256/` or `sha256//` before them or without. Other text matches no key.
    init(_ digests: [String]) {
        self.digests = digests.map { digest in
            for prefix in ["sha256//", "sha256/"] where digest.hasPrefix(prefix) {
                return String(digest.dropFirst(prefix.count))
            }
            return digest
        }
    }

    /// Whether any key is taken.
    var isEmpty: Bool { digests.isEmpty }

    /// Whether a key is one of these.
    ///
    /// - Parameter subjectPublicKeyInfo: the key in DER, as `openssl pkey -pubin -outform DER` writes it.
    func allow(subjectPublicKeyInfo: Data) -> Bool {
        isEmpty
            || digests.contains(
                Data(SHA256.digest(of: Array(subjectPublicKeyInfo))).base64EncodedString())
    }
}
