import Foundation
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct DiskCacheDamageTests {
    private let folder = TemporaryFolder()
    private let cache: DiskCache
    private let whole: Data
    private let file: URL

    init() throws {
        cache = DiskCache(folder: folder.url)
        let asked = try sampleRequest("http://service.test/a", ["X": "1"])
        try cache.write(cached("the body, 0123456789", headers: ["Vary": "X"], for: asked), for: "a")
        file = try folder.onlyFile()
        whole = try Data(contentsOf: file)
    }

    private func expectMiss(_ data: Data, _ comment: Comment) throws {
        try data.write(to: file)
        #expect(cache.read("a") == nil, comment)
        #expect(folder.names.isEmpty, comment)
    }

    @Test("A file that is cut short anywhere is a miss, and is removed")
    func truncation() throws {
        for count in 0..<whole.count { try expectMiss(whole.prefix(count), "cut to \(count) bytes") }
        try whole.write(to: file)
        #expect(cache.read("a")?.text == "the body, 0123456789")
    }

    @Test("A file with any byte changed is a miss, and is removed", arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func damage(bits: UInt8) throws {
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= bits
            try expectMiss(damaged, "byte \(index)")
        }
    }

    @Test("A file with bytes added, taken out or zeroed is a miss")
    func shifts() throws {
        try expectMiss(whole + [0], "one more at the end")
        for index in stride(from: 0, to: whole.count, by: 3) {
            try expectMiss(whole[..<index] + [0] + whole[index...], "one more at \(index)")
            try expectMiss(whole[..<index] + whole[(index + 1)...], "one less at \(index)")
            try expectMiss(whole[..<index] + Data(count: whole.count - index), "zeros from \(index)")
        }
    }

    @Test("A file in another format is a miss, and is removed")
    func otherFormats() throws {
        try expectMiss(Data("{}".utf8), "JSON")
        try expectMiss(Data(count: 100_000), "zeros")
        try expectMiss(Data(repeating: 0xFF, count: 100_000), "ones")
        for _ in 0..<200 {
            let count = Int.random(in: 0..<300)
            let noise = Data((0..<count).map { _ in UInt8.random(in: 0...255) })
            try expectMiss(noise, "noise")
            try expectMiss(whole.prefix(Int.random(in: 0..<100)) + noise, "a beginning, then noise")
        }
    }

    @Test("Lengths that lie are a miss, however large", arguments: [64, 72])
    func lengths(offset: Int) throws {
        for length: UInt64 in [0, 1, UInt64(Int.max), .max, .max - 80, 1 << 32] {
            var damaged = whole
            withUnsafeBytes(of: length.littleEndian) {
                damaged.replaceSubrange(offset..<offset + 8, with: $0)
            }
            try expectMiss(damaged, "length \(length)")
        }
    }

    @Test("A response with a status that HTTP doesn't have is a miss", arguments: [-1, 0, 99, 1000, Int.max])
    func status(_ status: Int) throws {
        let request = try sampleRequest()
        let url = try #require(request.url)
        guard let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
        else { return }
        cache.write(CachedResponse(response: head, data: Data(), for: request), for: "a")
        #expect(cache.read("a") == nil)
    }

    @Test("Another key's file is a miss")
    func otherKey() throws {
        try cache.write(cached("b"), for: "b")
        let other = try #require(folder.names.first { $0 != file.lastPathComponent })
        try FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: folder.file(other), to: file)
        #expect(cache.read("a") == nil)
        #expect(folder.names.isEmpty)
    }

    @Test("A damaged file gets no new timestamp")
    func timestamp() throws {
        try Data(count: 10).write(to: file)
        cache.updateTimestamp(Date(), for: "a")
        #expect(try Data(contentsOf: file) == Data(count: 10))
    }

    @Test("A file that can't be read isn't reported as damaged")
    func unreadable() throws {
        let writeOnly = try SystemFile.new(folder.file("b").path)
        try writeOnly.write(whole, at: 0)
        #expect(throws: SystemFile.Failure.self) {
            try DiskCacheEntry.response(in: writeOnly, size: whole.count, digest: [])
        }
    }

    @Test("A link in an entry's place isn't followed")
    func links() throws {
        let target = folder.file("target")
        try FileManager.default.moveItem(at: file, to: target)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        cache.updateTimestamp(Date(), for: "a")
        #expect(cache.read("a") == nil)
        #expect(folder.names == ["target"])
        #expect(try Data(contentsOf: target) == whole)
    }

    @Test("A pipe in an entry's place blocks nobody")
    func pipes() throws {
        try FileManager.default.removeItem(at: file)
        try #require(mkfifo(file.path, 0o600) == 0)
        cache.updateTimestamp(Date(), for: "a")
        #expect(cache.read("a") == nil)
        try cache.write(cached("new"), for: "a")
        #expect(cache.read("a")?.text == "new")
    }
}
