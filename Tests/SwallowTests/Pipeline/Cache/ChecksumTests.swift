import Testing

@testable import Swallow

struct ChecksumTests {
    private static func checksum(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.of($0, seed: seed) }
    }

    @Test(
        "The checksums are XXH64's",
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)])
    func examples(text: String, checksum: UInt64) {
        #expect(Self.checksum(Array(text.utf8)) == checksum)
    }

    @Test("Every changed bit changes the checksum", arguments: [1, 7, 8, 31, 32, 33, 63, 100])
    func changedBits(count: Int) {
        let bytes = (0..<count).map { UInt8($0) }
        let checksum = Self.checksum(bytes)
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(Self.checksum(changed) != checksum)
            }
        }
        #expect(Self.checksum(bytes, seed: 1) != checksum)
    }
}
