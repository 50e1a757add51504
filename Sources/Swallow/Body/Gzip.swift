import Foundation

#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
#endif

enum Gzip {
    static func compressed(_ data: Data) -> Data? {
        #if os(Linux) && canImport(Glibc)
            return CurlLibrary.gzip(data)
        #elseif canImport(Darwin)
            guard let deflated = try? (data as NSData).compressed(using: .zlib) else { return nil }
            // The header (RFC 1952 §2.3) states no name, no time and an unknown operating system.
            let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
            let end = [checksum(data), UInt32(truncatingIfNeeded: data.count)]
            let tail = end.flatMap { number in withUnsafeBytes(of: number.littleEndian) { Array($0) } }
            return Data(head) + (deflated as Data) + Data(tail)
        #else
            return nil
        #endif
    }

    static func checksum(_ data: Data) -> UInt32 {
        let table = (0..<256 as Range<UInt32>).map { number in
            (0..<8).reduce(number) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
        }
        return data.withUnsafeBytes { bytes in
            ~bytes.reduce(~0) { sum, byte in
                sum >> 8 ^ table[Int((sum ^ UInt32(byte)) & 0xFF)]
            }
        }
    }
}
