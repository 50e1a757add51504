import Foundation
import TestSupport

// The declarations of CryptoKit and swift-crypto that the guide uses. This package depends on neither.

enum SHA256 {
    static func hash(data: Data) -> [UInt8] { sha256(of: data) }
}

struct SymmetricKey {
    let data: Data
}

enum HMAC<Hash> {
    /// Computes an HMAC as RFC 2104 specifies.
    static func authenticationCode(for data: Data, using key: SymmetricKey) -> [UInt8] {
        let short = key.data.count > 64 ? Data(SHA256.hash(data: key.data)) : key.data
        let block = short + Data(count: 64 - short.count)
        let inner = SHA256.hash(data: Data(block.map { $0 ^ 0x36 }) + data)
        return SHA256.hash(data: Data(block.map { $0 ^ 0x5C }) + Data(inner))
    }
}
