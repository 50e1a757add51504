import Foundation

/// A gzip file (RFC 1952) whose blocks aren't compressed (RFC 1951 §3.2.4).
enum GzipContainer {
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    static func wrap(_ content: Data) -> Data {
        let bytes = [UInt8](content)
        var file = header
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            file.append(rest.isEmpty ? 1 : 0)
            file += littleEndian(length) + littleEndian(~length) + block
        } while !rest.isEmpty
        return Data(file + littleEndian(crc32(bytes)) + littleEndian(UInt32(truncatingIfNeeded: bytes.count)))
    }

    /// A gzip file whose first block has the reserved type, which no decompressor accepts.
    static func corrupt(_ content: Data) -> Data {
        var file = [UInt8](wrap(content))
        file[header.count] = 0b111
        return Data(file)
    }

    private static func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : (crc >> 1) ^ 0xEDB8_8320 }
        }
        return ~crc
    }
}
