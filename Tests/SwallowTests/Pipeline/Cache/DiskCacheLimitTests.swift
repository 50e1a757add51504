import Foundation
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct DiskCacheLimitTests {
    private let folder = TemporaryFolder()

    /// Writes responses that take just over 10,000 bytes each.
    private func fill(_ cache: DiskCache, _ keys: some Sequence<Character>) throws {
        for key in keys { try cache.write(cached(String(repeating: key, count: 10_000)), for: String(key)) }
    }

    private func stored(_ keys: String) -> String {
        let cache = DiskCache(folder: folder.url)
        return keys.filter { cache.read(String($0))?.text == String(repeating: $0, count: 10_000) }
    }

    @Test("Beyond the limit the least recently used go first: read, written and confirmed ones stay")
    func order() throws {
        let cache = DiskCache(folder: folder.url, sizeLimit: 65_000)
        try fill(cache, "abcdef")
        #expect(folder.names.count == 6)
        _ = cache.read("b")
        cache.updateTimestamp(Date(), for: "c")
        try fill(cache, "ag")
        // Seven responses exceed the limit of 65,000 bytes. The cache deletes responses until they take seven eighths
        // of the limit.
        #expect(stored("abcdefg") == "abcfg")
    }

    @Test("However much is written, the files stay within the limit")
    func bound() throws {
        let cache = DiskCache(folder: folder.url, sizeLimit: 100_000)
        for step in 0..<200 {
            var response = try cached()
            response.data = Data(count: Int.random(in: 0..<30_000))
            cache.write(response, for: "\(step % 60)")
            #expect(folder.sizes.reduce(0, +) <= 100_000)
            #expect(cache.read("\(step % 60)") != nil)
        }
    }

    @Test("Each further cache over a folder exceeds the limit by an eighth at most")
    func sharedFolder() throws {
        let caches = (0..<3).map { _ in DiskCache(folder: folder.url, sizeLimit: 160_000) }
        for step in 0..<200 {
            try fill(caches[step % 3], "\(UnicodeScalar(UInt8(40 + step % 60)))")
            let size = folder.sizes.reduce(0, +)
            #expect(size <= 220_000)
        }
    }

    @Test("Writing one response again and again pushes no other out")
    func replacing() throws {
        let cache = DiskCache(folder: folder.url, sizeLimit: 40_000)
        try fill(cache, "ab")
        for _ in 0..<50 { try fill(cache, "c") }
        #expect(stored("abc") == "abc")
    }

    @Test("A response as large as the limit is kept alone; a larger one isn't, nor the old one in its place")
    func largest() throws {
        let roomy = DiskCache(folder: folder.url)
        try fill(roomy, "a")
        let size = try #require(folder.sizes.first)
        roomy.removeAll()
        let cache = DiskCache(folder: folder.url, sizeLimit: size)
        try fill(cache, "b")
        try fill(cache, "a")
        #expect(stored("ab") == "a")
        try cache.write(cached(String(repeating: "a", count: 10_001)), for: "a")
        #expect(folder.names.isEmpty)
    }

    @Test("A limit of zero or less keeps nothing", arguments: [0, -1, Int.min])
    func noLimit(limit: Int) throws {
        let cache = DiskCache(folder: folder.url, sizeLimit: limit)
        try cache.write(cached(""), for: "a")
        #expect(cache.read("a") == nil)
        #expect(folder.names.isEmpty)
    }

    @Test("A smaller limit than before holds from the first write on")
    func loweredLimit() throws {
        try fill(DiskCache(folder: folder.url), "abcdefgh")
        try fill(DiskCache(folder: folder.url, sizeLimit: 35_000), "i")
        #expect(stored("abcdefghi") == "ghi")
    }

    @Test("What writers that are gone have left is removed with the first write, and counts for nothing")
    func abandonedFiles() throws {
        try fill(DiskCache(folder: folder.url), "a")
        let digits = String(repeating: "0", count: 64)
        let abandoned = folder.file("\(digits)-0123456789abcdef.swallow-temporary")
        try Data(count: 1000).write(to: abandoned)
        let busy = folder.file("\(digits)-fedcba9876543210.swallow-temporary")
        let writer = try SystemFile.new(busy.path)
        let isLocked = writer.lock()
        #expect(isLocked)
        try fill(DiskCache(folder: folder.url), "b")
        #expect(!FileManager.default.fileExists(atPath: abandoned.path))
        #expect(FileManager.default.fileExists(atPath: busy.path))
        writer.touch()
        #expect(stored("ab") == "ab")
    }

    @Test("Files that aren't the cache's are never removed, and don't count")
    func strangers() throws {
        let digits = String(repeating: "0", count: 64)
        let names = [
            "notes.txt", "\(digits)", "\(digits).swallow.bak", "\(digits.dropLast()).swallow",
            "\(digits.dropLast())G.swallow", "\(digits.dropLast())A.swallow", ".swallow",
            ".swallow-temporary",
            "\(digits).swallow-temporary", "\(digits)-0123.swallow-temporary",
        ].sorted()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        for name in names { try Data(count: 100_000).write(to: folder.file(name)) }
        let cache = DiskCache(folder: folder.url, sizeLimit: 35_000)
        try fill(cache, "abcdefg")
        #expect(stored("efg") == "efg")
        cache.removeAll()
        #expect(folder.names == names)
    }
}
