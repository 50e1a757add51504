import Foundation

/// Pinned public keys. A server's key must be pinned, even if its certificate is valid. A pin is the SHA-256 digest of
/// a key's SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
struct TLSPins {
    /// The digests in Base64.
    let digests: [String]

    /// Creates pins from digests. If there are no digests, any key is accepted.
    ///
    /// - Parameter digests: The digests in Base64. The prefix `sha256/` or `sha256//` is optional. Other text matches
    ///   no key.
    init(_ digests: [String]) {
        self.digests = digests.map { digest in
            for prefix in ["sha256//", "sha256/"] where digest.hasPrefix(prefix) {
                return String(digest.dropFirst(prefix.count))
            }
            return digest
        }
    }

    /// Whether any key is accepted.
    var isEmpty: Bool { digests.isEmpty }

    /// Whether a key is pinned.
    ///
    /// - Parameter subjectPublicKeyInfo: The key in DER, as `openssl pkey -pubin -outform DER` writes it.
    func allow(subjectPublicKeyInfo: Data) -> Bool {
        isEmpty
            || digests.contains(
                Data(SHA256.digest(of: Array(subjectPublicKeyInfo))).base64EncodedString())
    }
}
