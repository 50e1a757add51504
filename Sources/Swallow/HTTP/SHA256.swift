/// The secure hash SHA-256 of FIPS 180-4 §6.2.
package enum SHA256 {
    package static func digest(of message: [UInt8]) -> [UInt8] {
        var state = initialState
        var schedule = [UInt32](repeating: 0, count: 64)
        let padded = padded(message)
        for block in stride(from: 0, to: padded.count, by: 64) {
            update(&state, with: padded[block..<block + 64], &schedule)
        }
        return (0..<32).map { UInt8(truncatingIfNeeded: state[$0 / 4] >> UInt32(24 - $0 % 4 * 8)) }
    }

    static func hexDigest(of text: String) -> String {
        hexadecimal(digest(of: Array(text.utf8)))
    }

    /// Returns a digest of the values and their lengths, so that different lists have different digests.
    static func hexDigest(of values: [String?]) -> String {
        var message: [UInt8] = []
        for value in values {
            message += "\(value?.utf8.count ?? -1):".utf8
            message += (value ?? "").utf8
        }
        return hexadecimal(digest(of: message))
    }

    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits: StaticString = "0123456789abcdef"
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = digits.utf8Start[Int(byte >> 4)]
                text[2 * index + 1] = digits.utf8Start[Int(byte & 15)]
            }
            return 2 * bytes.count
        }
    }

    /// Appends a 1 bit, zeros, and the number of bits, so that the message fills its last block (§5.1).
    static func padded(_ message: [UInt8], blockSize: Int = 64) -> [UInt8] {
        let lengthSize = blockSize / 8
        let zeros = (2 * blockSize - 1 - lengthSize - message.count % blockSize) % blockSize
        var padded = message
        padded.reserveCapacity(message.count + zeros + lengthSize + 1)
        padded.append(0x80)
        padded.append(contentsOf: repeatElement(0, count: zeros + lengthSize - 8))
        let bits = UInt64(message.count) * 8
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        return padded
    }

    private static func update(_ state: inout [UInt32], with block: ArraySlice<UInt8>, _ w: inout [UInt32]) {
        var position = block.startIndex
        for t in 0..<16 {
            w[t] =
                UInt32(block[position]) << 24 | UInt32(block[position + 1]) << 16
                | UInt32(block[position + 2]) << 8 | UInt32(block[position + 3])
            position += 4
        }
        for t in 16..<64 {
            let s0 = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3
            let s1 = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10
            w[t] = w[t - 16] &+ s0 &+ w[t - 7] &+ s1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for t in 0..<64 {
            let s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let t1 = h &+ s1 &+ (e & f ^ ~e & g) &+ constants[t] &+ w[t]
            let s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let t2 = s0 &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    private static let initialState: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
        0x5be0_cd19,
    ]

    /// The first 32 bits of each of the first 64 constants of SHA-512 (§4.2).
    private static let constants = SHA512.constants.prefix(64).map { UInt32($0 >> 32) }
}
