import Foundation
import Swallow

/// Returns the SHA-256 digest of data.
public func sha256(of data: Data) -> [UInt8] { SHA256.digest(of: Array(data)) }
