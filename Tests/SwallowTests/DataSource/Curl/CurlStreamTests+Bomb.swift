#if os(Linux) && canImport(Glibc)
    import Foundation
    import LoopbackServer
    import TestSupport
    import Testing

    extension CurlStreamTests {
        @Test(
            "A gigabyte of compressed zeros uses little memory while it isn't read",
            arguments: ["deflate", "gzip"])
        func bomb(coding: String) async throws {
            let bomb = Self.zeros(1024 * 1024 * 1024, coding)
            let server = try RawServer { connection in
                while let head = connection.receiveHead() {
                    if head.hasPrefix("GET /other ") {
                        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                        continue
                    }
                    connection.send(
                        Self.head + "Content-Encoding: \(coding)\r\nContent-Length: \(bomb.count)\r\n\r\n")
                    connection.send(bomb)
                    connection.waitForEnd()
                }
            }
            // This runs in its own process, because other tests use memory in this one.
            let (output, status) = try await TransportProbe.run(
                "unread", "http://127.0.0.1:\(server.port)/bomb", "http://127.0.0.1:\(server.port)/other")
            #expect(status == 0)
            let growth = try #require(Int(output), "\(output)")
            // A sanitizer needs several bytes for each byte that the process uses.
            let limit = Sanitizer.isThere ? 256 * 1024 : 12 * 1024
            #expect(growth < limit)
        }

        /// Returns zeros, compressed in zlib's format (RFC 1950, RFC 1951) or as gzip (RFC 1952) without its
        /// checksum. The data is one literal, then copies of 258 bytes at a distance of one.
        static func zeros(_ count: Int, _ coding: String = "deflate") -> [UInt8] {
            var bytes: [UInt8] = coding == "gzip" ? [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] : [0x78, 0x01]
            var (bits, width) = (UInt64(0), 0)
            func put(_ value: UInt64, _ count: Int) {
                bits |= value << UInt64(width)
                width += count
                while width >= 8 {
                    bytes.append(UInt8(truncatingIfNeeded: bits))
                    bits >>= 8
                    width -= 8
                }
            }
            // Starts the last block, which uses the fixed Huffman codes.
            put(0b011, 3)
            func putLiteral() { put(0b0000_1100, 8) }
            let copies = (count - 1) / 258
            for _ in 0..<(count - copies * 258) { putLiteral() }
            // Length code 285 (11000101), and distance code 0.
            func putCopies(_ count: Int) { for _ in 0..<count { put(0b1010_0011, 13) } }
            putCopies(min(copies, 16))
            // Eight copies are thirteen bytes, which repeat.
            let (period, rest) = (bytes.suffix(13), max(0, copies - 16))
            for _ in 0..<(rest / 8) { bytes += period }
            putCopies(rest % 8)
            put(0, 7)
            if width > 0 { put(0, 8 - width) }
            let sum = UInt32(count % 65521) << 16 | 1
            return bytes + withUnsafeBytes(of: sum.bigEndian) { Array($0) }
        }
    }
#endif
