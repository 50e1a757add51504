import Foundation

/// A response as a file of a disk cache. All numbers are little-endian.
///      offset  bytes
///           0      8  magic and version
///           8      8  checksum of everything from offset 32
///          16      8  timestamp: seconds since 2001-01-01 00:00 UTC, as a double
///          24      8  checksum of the timestamp, seeded with the checksum at offset 8
///          32     32  the key's SHA-256 digest
///          64      8  the head's length
///          72      8  the body's length
///          80         the head as JSON, then the body as received
/// The timestamp and its checksum are in one page, so a killed process has written both or neither.
enum DiskCacheEntry {
    static let headerSize = 80
    static let timestampOffset = 16

    private static let magic = UInt64(littleEndian: 0x01_57_4F_4C_4C_41_57_53)
    private static let coveredOffset = 32

    /// Returns the bytes before the body. `nil` if the head can't be encoded, for example without a URL.
    static func preamble(of response: CachedResponse, digest: [UInt8]) -> [UInt8]? {
        guard let head = CachedResponseHead(response),
            let text = try? JSON.EncodingOptions().data(of: head)
        else { return nil }
        var covered = digest
        covered += bytes(UInt64(text.count))
        covered += bytes(UInt64(response.data.count))
        covered += text
        let seed = covered.withUnsafeBytes { Checksum.of($0) }
        let checksum = response.data.withUnsafeBytes { Checksum.of($0, seed: seed) }
        return bytes(magic) + bytes(checksum) + timestampBytes(response.timestamp, checksum) + covered
    }

    /// Returns the bytes to write at `timestampOffset`, or `nil` if the header doesn't belong to this key.
    static func timestampField(_ timestamp: Date, header: Data, digest: [UInt8]) -> [UInt8]? {
        header.withUnsafeBytes { header in
            isHeader(header, digest: digest) ? timestampBytes(timestamp, number(header, 8)) : nil
        }
    }

    /// Returns the response in a file. `nil` if the file is incomplete, is damaged or belongs to another key.
    static func response(
        in file: borrowing SystemFile, size: Int, digest: [UInt8]
    ) throws(SystemFile.Failure) -> CachedResponse? {
        guard let preamble = try preamble(of: file, size: size),
            let body = try file.bytes(size - preamble.count, at: preamble.count)
        else { return nil }
        return preamble.withUnsafeBytes { preamble in
            guard isHeader(preamble, digest: digest), number(preamble, 72) == UInt64(body.count) else {
                return nil
            }
            let covered = UnsafeRawBufferPointer(rebasing: preamble[coveredOffset...])
            let seed = Checksum.of(covered)
            let checksum = body.withUnsafeBytes { Checksum.of($0, seed: seed) }
            let timestamp = Date(
                timeIntervalSinceReferenceDate: Double(bitPattern: number(preamble, timestampOffset)))
            guard checksum == number(preamble, 8),
                timestampBytes(timestamp, checksum) == Array(preamble[timestampOffset..<coveredOffset])
            else { return nil }
            return head(preamble)?.cachedResponse(body, timestamp: timestamp)
        }
    }

    static func requestURL(of file: borrowing SystemFile) -> URL? {
        guard let size = file.size, let preamble = try? preamble(of: file, size: size) else { return nil }
        return preamble.withUnsafeBytes { head($0) }.flatMap { URL(string: $0.requested ?? $0.url) }
    }

    /// Returns the header and the head, or `nil` if the file is shorter than they are.
    private static func preamble(
        of file: borrowing SystemFile, size: Int
    ) throws(SystemFile.Failure) -> Data? {
        // Most heads fit into 4 KiB, so that a second read is rarely needed.
        guard size >= headerSize, let start = try file.bytes(min(size, 4096)) else { return nil }
        let length = start.withUnsafeBytes { number($0, 64) }
        guard length <= UInt64(size - headerSize) else { return nil }
        let count = headerSize + Int(length)
        return count <= start.count ? start.prefix(count) : try file.bytes(count)
    }

    private static func head(_ preamble: UnsafeRawBufferPointer) -> CachedResponseHead? {
        let text = Data(UnsafeRawBufferPointer(rebasing: preamble[headerSize...]))
        return try? JSON(parsing: text).decode(CachedResponseHead.self)
    }

    private static func isHeader(_ bytes: UnsafeRawBufferPointer, digest: [UInt8]) -> Bool {
        bytes.count >= headerSize && number(bytes, 0) == magic
            && Array(bytes[coveredOffset..<coveredOffset + 32]) == digest
    }

    private static func timestampBytes(_ timestamp: Date, _ checksum: UInt64) -> [UInt8] {
        let field = bytes(timestamp.timeIntervalSinceReferenceDate.bitPattern)
        return field + bytes(field.withUnsafeBytes { Checksum.of($0, seed: checksum) })
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
