import Foundation

/// Encodes a public key as certificates do (RFC 5280 §4.1.2.7), from the raw key of Apple's platforms.
enum SubjectPublicKeyInfo {
    private enum Tag {
        static let bitString: UInt8 = 0x03
        static let null: UInt8 = 0x05
        static let objectIdentifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
    }

    /// 1.2.840.113549.1.1.1 (RFC 3279 §2.3.1)
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    /// 1.2.840.10045.2.1 (RFC 5480 §2.1.1)
    private static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    /// Named curves (RFC 5480 §2.1.1.1) by the length of an uncompressed point.
    private static let curves: [Int: [UInt8]] = [
        65: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07],  // P-256
        97: [0x2B, 0x81, 0x04, 0x00, 0x22],  // P-384
        133: [0x2B, 0x81, 0x04, 0x00, 0x23],  // P-521
    ]

    /// Encodes the keys that `SecKeyCopyExternalRepresentation` returns: an RSA key (PKCS #1, RFC 8017 §A.1.1), or an
    /// uncompressed point on P-256, P-384 or P-521 (SEC 1 §2.3.3). Returns `nil` for other kinds of keys.
    static func data(ofKey key: Data) -> Data? {
        let key = Array(key)
        guard let algorithm = algorithm(ofKey: key) else { return nil }
        return Data(value(Tag.sequence, value(Tag.sequence, algorithm) + value(Tag.bitString, [0] + key)))
    }

    private static func algorithm(ofKey key: [UInt8]) -> [UInt8]? {
        switch key.first {
        case 0x04:
            curves[key.count].map {
                value(Tag.objectIdentifier, ecPublicKey) + value(Tag.objectIdentifier, $0)
            }
        case Tag.sequence where isComplete(key):
            value(Tag.objectIdentifier, rsaEncryption) + value(Tag.null, [])
        default: nil
        }
    }

    private static func isComplete(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2 else { return false }
        let body = bytes.count < 130 ? 2 : bytes.count < 260 ? 3 : 4
        return bytes.count > body && bytes.starts(with: bytes[..<1] + length(bytes.count - body))
    }

    private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + length(content.count) + content
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 128 { return [UInt8(count)] }
        let bytes = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> $0) }
            .drop { $0 == 0 }
        return [0x80 | UInt8(bytes.count)] + bytes
    }
}
