import Foundation

struct TLSPins {
    let digests: [String]

    init(_ digests: [String]) {
        self.digests = digests.map { digest in
            for prefix in ["sha256//", "sha256/"] where digest.hasPrefix(prefix) {
                return String(digest.dropFirst(prefix.count))
            }
            return digest
        }
    }

    var isEmpty: Bool { digests.isEmpty }

    /// Expects the key in DER, as `openssl pkey -pubin -outform DER` writes it. Without pins, any key is accepted.
    func allow(subjectPublicKeyInfo: Data) -> Bool {
        isEmpty
            || digests.contains(
                Data(SHA256.digest(of: Array(subjectPublicKeyInfo))).base64EncodedString())
    }
}
