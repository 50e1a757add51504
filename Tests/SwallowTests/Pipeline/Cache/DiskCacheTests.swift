import Foundation
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct DiskCacheTests {
    private let folder = TemporaryFolder()

    private var cache: DiskCache { DiskCache(folder: folder.url) }

    @Test("Another instance reads what was written: head, bytes, timestamp and selection, but no content")
    func reopening() throws {
        let asked = try sampleRequest("http://service.test/ä?q=%20", ["X": "1"])
        let fields = ["Vary": "X", "Content-Type": "text/plain", "X-Ümlaut": "ä", "X-Empty": ""]
        let timestamp = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
        try cache.write(
            cached("é\0\r\n", headers: fields, content: 1, timestamp: timestamp, for: asked), for: "a")
        let read = try #require(cache.read("a"))
        #expect(read.data == Data("é\0\r\n".utf8))
        #expect(read.data.startIndex == 0)
        #expect(read.timestamp == timestamp)
        #expect(read.response.url == asked.url)
        #expect(read.response.statusCode == 200)
        #expect(try Headers(read.response) == Headers(cached(headers: fields).response))
        #expect(read.isSelected(by: asked))
        #expect(try !read.isSelected(by: sampleRequest()))
        #expect(read.content == nil)
    }

    @Test("Bodies of every size come back", arguments: [0, 1, 7, 31, 32, 33, 4096, 1 << 20])
    func sizes(count: Int) throws {
        var response = try cached()
        response.data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        cache.write(response, for: "a")
        var read = try #require(cache.read("a"))
        #expect(read.data == response.data)
        read.data.append(1)
        #expect(read.data.dropLast() == response.data)
        #expect(cache.read("a")?.data == response.data)
    }

    @Test("A body that is a part of other data is written as that part")
    func slice() throws {
        var response = try cached()
        response.data = Data("0123456789".utf8)[3..<6]
        cache.write(response, for: "a")
        #expect(cache.read("a")?.text == "345")
    }

    @Test(
        "Keys of any text stay within the folder",
        arguments: ["../a", "/etc/passwd", "", "ключ/😀", "a\0b", "."])
    func keys(key: String) throws {
        try cache.write(cached(key), for: key)
        try cache.write(cached("other"), for: key + " ")
        #expect(cache.read(key)?.text == key)
        #expect(folder.names.count == 2)
        #expect(folder.names.allSatisfy { $0.hasSuffix(".swallow") && $0.count == 72 })
    }

    @Test("A replaced response is gone, and a removed one too")
    func replacing() throws {
        try cache.write(cached(String(repeating: "old", count: 100)), for: "a")
        try cache.write(cached("new"), for: "a")
        #expect(cache.read("a")?.text == "new")
        #expect(folder.names.count == 1)
        cache.remove("a")
        #expect(cache.read("a") == nil)
        #expect(folder.names.isEmpty)
        cache.remove("a")
    }

    @Test("Only the timestamp changes with updateTimestamp")
    func timestamp() throws {
        try cache.write(cached("text"), for: "a")
        for seconds in [123.456, -1e9, 0] {
            let timestamp = Date(timeIntervalSinceReferenceDate: seconds)
            cache.updateTimestamp(timestamp, for: "a")
            #expect(cache.read("a")?.timestamp == timestamp)
            #expect(cache.read("a")?.text == "text")
        }
        cache.updateTimestamp(Date(), for: "none")
        #expect(folder.names.count == 1)
    }

    @Test("Files are their owner's only, and so is a folder that the cache makes")
    func permissions() throws {
        try cache.write(cached(), for: "a")
        #expect(try folder.permissions(folder.url) == 0o700)
        #expect(try folder.permissions(folder.onlyFile()) == 0o600)
    }

    @Test("A no-store response isn't written, nor stays the old one in its place, unless it is asked for")
    func noStore() throws {
        let forbidden = try cached("secret", headers: ["Cache-Control": "no-store"])
        try cache.write(cached("old"), for: "a")
        cache.write(forbidden, for: "a")
        #expect(cache.read("a") == nil)
        #expect(folder.names.isEmpty)
        DiskCache(folder: folder.url, storesForbidden: true).write(forbidden, for: "a")
        #expect(cache.read("a")?.text == "secret")
    }

    @Test("Neither a URL's user nor a Set-Cookie gets into a file")
    func secrets() throws {
        let fields = ["Set-Cookie": "sid=s3cret", "X-Kept": "1"]
        let asked = try sampleRequest("http://u:s3cret@service.test/a?b=1")
        try cache.write(cached(headers: fields, for: asked), for: "a")
        let file = try Data(contentsOf: folder.onlyFile())
        #expect(file.firstRange(of: Data("s3cret".utf8)) == nil)
        let read = try #require(cache.read("a"))
        #expect(read.response.url?.absoluteString == "http://service.test/a?b=1")
        #expect(Headers(read.response) == ["X-Kept": "1"])
        let encoded = try JSONEncoder().encode(cached(headers: fields, for: asked))
        #expect(encoded.firstRange(of: Data("s3cret".utf8)) == nil)
    }

    @Test("Another user's entry isn't read, confirmed or removed", .enabled(if: geteuid() == 0))
    func foreignEntries() throws {
        try cache.write(cached("old"), for: "a")
        let file = try folder.onlyFile()
        #expect(chown(file.path, 1, 1) == 0)
        let bytes = try Data(contentsOf: file)
        #expect(cache.read("a") == nil)
        cache.updateTimestamp(Date(), for: "a")
        #expect(try Data(contentsOf: file) == bytes)
        try cache.write(cached("new"), for: "a")
        #expect(cache.read("a")?.text == "new")
    }

    @Test("Where the folder can't be made or written to, there is nothing, and nothing fails")
    func unusableFolders() throws {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let file = folder.file("file")
        try Data("mine".utf8).write(to: file)
        for url in [file, file.appendingPathComponent("below"), URL(string: "http://service.test/x") ?? file]
        {
            let cache = DiskCache(folder: url)
            try cache.write(cached(), for: "a")
            cache.updateTimestamp(Date(), for: "a")
            #expect(cache.read("a") == nil)
            cache.remove("a")
            cache.removeAll()
        }
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
        #expect(folder.names == ["file"])
    }

    @Test("A failed write leaves no stray file")
    func failedWrite() throws {
        try cache.write(cached(), for: "a")
        let file = try folder.onlyFile()
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(
            at: file.appendingPathComponent("occupied"), withIntermediateDirectories: true)
        try cache.write(cached(), for: "a")
        #expect(cache.read("a") == nil)
        #expect(folder.names == [file.lastPathComponent])
    }

    @Test("A folder that is removed meanwhile is made again")
    func removedFolder() throws {
        let cache = cache
        try cache.write(cached("1"), for: "a")
        try FileManager.default.removeItem(at: folder.url)
        #expect(cache.read("a") == nil)
        try cache.write(cached("2"), for: "a")
        #expect(cache.read("a")?.text == "2")
    }
}
