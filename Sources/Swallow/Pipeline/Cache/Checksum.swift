/// A fast 64-bit hash that detects accidental damage. It doesn't protect from attackers.
enum Checksum {
    /// Returns the checksum of bytes. A change within one 8-byte word always changes it, as each step is a bijection.
    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var hash = mixed(seed, UInt64(bytes.count))
        var position = 0
        while position &+ 8 <= bytes.count {
            hash = mixed(hash, bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            position &+= 8
        }
        var rest: UInt64 = 0
        withUnsafeMutableBytes(of: &rest) { $0.copyBytes(from: bytes[position...]) }
        hash = mixed(hash, rest)
        return mixed(hash, hash >> 32)
    }

    @inline(__always)
    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let hash = hash ^ UInt64(littleEndian: word)
        return (hash &<< 27 | hash &>> 37) &* 0x9E37_79B1_85EB_CA87
    }
}
