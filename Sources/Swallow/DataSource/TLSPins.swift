import Foundation

/// Public keys one of which a server must have, whatever its certificate vouches for: `CurlDataSource.TLS.pins`, and on Apple
/// platforms `URLSessionDataSource.TLS.pins`.
///
/// A pin is the SHA-256 digest, in Base64, of a key's SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), so that a certificate may be
/// renewed while its key stays. Name the next key's, too, before the server changes to it.
public struct TLSPins: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The digests, in Base64.
    public let digests: [String]

    /// Makes pins of digests; with none of them, any key is taken.
    ///
    /// - Parameter digests: in Base64, with `sha256/` or `sha256//` before them or without. One that is no digest fits no key.
    public init(_ digests: [String]) {
        self.digests = digests.map { digest in
            for prefix in ["sha256//", "sha256/"] where digest.hasPrefix(prefix) {
                return String(digest.dropFirst(prefix.count))
            }
            return digest
        }
    }

    /// Makes pins of digests, as ``init(_:)`` does.
    public init(arrayLiteral digests: String...) {
        self.init(digests)
    }

    /// Whether any key is taken.
    public var isEmpty: Bool { digests.isEmpty }

    /// Whether a key is one of these.
    ///
    /// - Parameter subjectPublicKeyInfo: the key in DER, as `openssl pkey -pubin -outform DER` writes it.
    public func allow(subjectPublicKeyInfo: Data) -> Bool {
        isEmpty
            || digests.contains(
                Data(SHA256.digest(of: Array(subjectPublicKeyInfo))).base64EncodedString())
    }
}
