import Testing

@testable import Swallow

struct ChecksumTests {
    private static func checksum(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.of($0, seed: seed) }
    }

    @Test("Bytes that are swapped, added or missing change the checksum")
    func otherChanges() {
        let bytes = (0..<64).map { UInt8($0) }
        var checksums = (0...64).map { Self.checksum(Array(bytes.prefix($0))) }
        checksums += (0...64).map { Self.checksum([UInt8](repeating: 0, count: $0)) }.dropFirst(2)
        for (first, second) in [(0, 1), (0, 8), (7, 56), (31, 32)] {
            var changed = bytes
            changed.swapAt(first, second)
            checksums.append(Self.checksum(changed))
        }
        #expect(Set(checksums).count == checksums.count)
    }

    @Test("The highest bits of two words don't cancel each other")
    func highestBits() {
        var bytes = [UInt8](repeating: 0, count: 32)
        let checksum = Self.checksum(bytes)
        (bytes[7], bytes[15]) = (0x80, 0x80)
        #expect(Self.checksum(bytes) != checksum)
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
