import Foundation

/// The digest of RFC 1321, only for servers that require it in digest authentication (RFC 7616 §3.2).
enum MD5 {
    static func hexDigest(of text: String) -> String {
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
        var message = SHA256.padded(Array(text.utf8))
        // Unlike SHA-256, MD5 expects the length with its lowest byte first.
        message[(message.count - 8)...].reverse()
        for block in stride(from: 0, to: message.count, by: 64) {
            update(&state, with: message[block..<block + 64])
        }
        return SHA256.hexadecimal(
            state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
    }

    private static func update(_ state: inout [UInt32], with block: ArraySlice<UInt8>) {
        let bytes = Array(block)
        let words = (0..<16).map { index in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[index * 4 + $1]) << (8 * UInt32($1)) }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let (mixed, word) =
                switch step / 16 {
                case 0: (b & c | ~b & d, step)
                case 1: (d & b | ~d & c, (5 * step + 1) % 16)
                case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                default: (c ^ (b | ~d), 7 * step % 16)
                }
            let sum = a &+ mixed &+ constants[step] &+ words[word]
            let shift = shifts[step / 16][step % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
        }
        for (index, word) in [a, b, c, d].enumerated() { state[index] &+= word }
    }

    private static let shifts: [[UInt32]] = [
        [7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21],
    ]

    private static let constants = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
}
