import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response as a file of a disk cache. All numbers are little-endian.
///
///      offset  bytes
///           0      8  magic and version
///           8      8  checksum of everything from offset 32
///          16      8  timestamp: seconds since 2001-01-01 00:00 UTC, as a double
///          24      8  checksum of the timestamp, seeded with the one before
///          32     32  the key's SHA-256 digest
///          64      8  the head's length
///          72      8  the body's length
///          80         the head as JSON, then the body as received
///
/// The timestamp can be rewritten separately. It lies within one page with its checksum, so a killed process has
/// written either both or neither.
enum DiskCacheEntry {
    static let headerSize = 80
    static let timestampOffset = 16

    private static let magic = UInt64(littleEndian: 0x01_57_4F_4C_4C_41_57_53)
    private static let coveredOffset = 32

    /// Returns everything before the body, or `nil` for a response that can't be written.
    static func preamble(of response: CachedResponse, digest: [UInt8]) -> [UInt8]? {
        guard let head = CachedResponseHead(response.response) else { return nil }
        let text = [UInt8](json(head, response).data)
        var covered = digest
        covered += bytes(UInt64(text.count))
        covered += bytes(UInt64(response.data.count))
        covered += text
        let seed = covered.withUnsafeBytes { Checksum.of($0) }
        let checksum = response.data.withUnsafeBytes { Checksum.of($0, seed: seed) }
        return bytes(magic) + bytes(checksum) + timestampBytes(response.timestamp, checksum) + covered
    }

    /// Returns the bytes to write at `timestampOffset` for another timestamp, or `nil` if the header doesn't belong to
    /// the key.
    static func timestampField(_ timestamp: Date, header: [UInt8], digest: [UInt8]) -> [UInt8]? {
        header.withUnsafeBytes { header in
            isHeader(header, digest: digest) ? timestampBytes(timestamp, number(header, 8)) : nil
        }
    }

    /// Returns the response in a file's bytes. The bytes are freed with the last copy of the response, or at once if
    /// they aren't a complete file of the key. The body isn't copied.
    static func response(
        takingOver file: UnsafeMutableRawBufferPointer, digest: [UInt8]
    ) -> CachedResponse? {
        let file = AllocatedBytes(file)
        let bytes = UnsafeRawBufferPointer(file.buffer)
        guard isHeader(bytes, digest: digest) else { return nil }
        let headLength = number(bytes, 64)
        let bodyLength = number(bytes, 72)
        let available = UInt64(bytes.count - headerSize)
        guard headLength <= available, bodyLength == available - headLength else { return nil }
        let bodyOffset = headerSize + Int(headLength)
        let covered = UnsafeRawBufferPointer(rebasing: bytes[coveredOffset..<bodyOffset])
        let body = UnsafeRawBufferPointer(rebasing: bytes[bodyOffset...])
        let checksum = Checksum.of(body, seed: Checksum.of(covered))
        let timestamp = Date(
            timeIntervalSinceReferenceDate: Double(bitPattern: number(bytes, timestampOffset)))
        guard checksum == number(bytes, 8),
            timestampBytes(timestamp, checksum).elementsEqual(bytes[timestampOffset..<coveredOffset]),
            let json = try? JSON(parsing: Data(bytes[headerSize..<bodyOffset])),
            let head = head(json), let url = URL(string: head.url)
        else { return nil }
        let requested = json["requested"].string
        return CachedResponse(
            head, url: url, data: data(body, in: file), timestamp: timestamp,
            selection: texts(json["selection"]),
            requestURL: requested == nil || requested == head.url ? url : requestURL(json),
            initialAge: json["age"].double)
    }

    /// Returns the URL that an entry's response was requested with, or `nil` if the file isn't an entry. The function
    /// reads only the head.
    static func requestURL(of file: borrowing SystemFile) -> URL? {
        guard let size = file.size, size >= headerSize,
            let length = file.prefix(headerSize)?.withUnsafeBytes({ number($0, 64) }),
            length <= UInt64(size - headerSize),
            let bytes = file.prefix(headerSize + Int(length)),
            let json = try? JSON(parsing: Data(bytes[headerSize...]))
        else { return nil }
        return requestURL(json)
    }

    private static func requestURL(_ json: JSON) -> URL? {
        (json["requested"].string ?? json["url"].string).flatMap { URL(string: $0) }
    }

    private static func data(_ body: UnsafeRawBufferPointer, in file: AllocatedBytes) -> Data {
        guard let start = body.baseAddress, body.count > 0 else { return Data() }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: body.count,
            deallocator: .custom { _, _ in withExtendedLifetime(file) {} })
    }

    private static func isHeader(_ bytes: UnsafeRawBufferPointer, digest: [UInt8]) -> Bool {
        bytes.count >= headerSize && number(bytes, 0) == magic
            && bytes[coveredOffset..<coveredOffset + 32].elementsEqual(digest)
    }

    private static func timestampBytes(_ timestamp: Date, _ checksum: UInt64) -> [UInt8] {
        let field = bytes(timestamp.timeIntervalSinceReferenceDate.bitPattern)
        return field + bytes(field.withUnsafeBytes { Checksum.of($0, seed: checksum) })
    }

    private static func json(_ head: CachedResponseHead, _ response: CachedResponse) -> JSON {
        [
            "url": .string(head.url), "status": .number(head.statusCode),
            "headers": .object(head.headers.map { ($0.key, .string($0.value)) }),
            "selection": .object(response.selection.map { ($0.key, .string($0.value)) }),
            "age": response.initialAge.flatMap { $0.isFinite ? .number($0) : nil } ?? .null,
            "requested": response.requestURL.map { .string($0.absoluteString.withoutUserinfo) } ?? .null,
        ]
    }

    private static func head(_ json: JSON) -> CachedResponseHead? {
        guard let url = json["url"].string, let statusCode = try? json["status"].decode(Int.self),
            (100...999).contains(statusCode)
        else { return nil }
        return CachedResponseHead(url: url, statusCode: statusCode, headers: texts(json["headers"]))
    }

    private static func texts(_ json: JSON) -> [String: String] {
        Dictionary(
            json.members.compactMap { member in member.value.string.map { (member.key, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

/// Memory that is freed with the last reference to it.
private final class AllocatedBytes {
    let buffer: UnsafeMutableRawBufferPointer

    init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    deinit { buffer.deallocate() }
}
