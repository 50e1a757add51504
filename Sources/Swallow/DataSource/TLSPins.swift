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

    /// Returns whether a key in DER (RFC 5280 §4.1.2.7) has a pin. Without pins, returns `true`.
    func allow(subjectPublicKeyInfo: Data) -> Bool {
        isEmpty
            || digests.contains(
                Data(SHA256.digest(of: Array(subjectPublicKeyInfo))).base64EncodedString())
    }
}
