/// The 64-bit hash XXH64, which detects accidental damage at memory speed. It doesn't protect from attackers.
enum Checksum {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var position = 0
        var hash = seed &+ prime5
        if bytes.count >= 32 {
            var lanes = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
            while position &+ 32 <= bytes.count {
                lanes.0 = round(lanes.0, word(bytes, position))
                lanes.1 = round(lanes.1, word(bytes, position &+ 8))
                lanes.2 = round(lanes.2, word(bytes, position &+ 16))
                lanes.3 = round(lanes.3, word(bytes, position &+ 24))
                position &+= 32
            }
            hash = rotated(lanes.0, 1) &+ rotated(lanes.1, 7) &+ rotated(lanes.2, 12) &+ rotated(lanes.3, 18)
            hash = merged(merged(merged(merged(hash, lanes.0), lanes.1), lanes.2), lanes.3)
        }
        hash &+= UInt64(bytes.count)
        while position &+ 8 <= bytes.count {
            hash = rotated(hash ^ round(0, word(bytes, position)), 27) &* prime1 &+ prime4
            position &+= 8
        }
        if position &+ 4 <= bytes.count {
            let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            hash = rotated(hash ^ UInt64(half) &* prime1, 23) &* prime2 &+ prime3
            position &+= 4
        }
        while position < bytes.count {
            hash = rotated(hash ^ UInt64(bytes[position]) &* prime5, 11) &* prime1
            position &+= 1
        }
        return avalanched(hash)
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* prime2, 31) &* prime1
    }

    private static func merged(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    private static func avalanched(_ hash: UInt64) -> UInt64 {
        var hash = hash
        hash = (hash ^ hash >> 33) &* prime2
        hash = (hash ^ hash >> 29) &* prime3
        return hash ^ hash >> 32
    }

    @inline(__always)
    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
        word &<< count | word &>> (64 &- count)
    }
}
