import Foundation
import TestSupport
import Testing

import Swallow

@Suite("Caches that are wiped by pattern")
struct WipeTests {
    private let folder = TemporaryFolder()
    private let server = CachingServer { $0.answer("[1]") }

    /// Returns a service with a given cache for `/stores`, and with disk caches for `/files` that a closure creates.
    private func service(_ cache: any EntityCache) -> WebService {
        var service = WebService.test(server, base: "http://service.test/v1")
        service.configure("/stores/**") { $0.pipeline[.model].cacheUsing(cache) }
        service.configure("/files/**") { [url = folder.url] configuration in
            configuration.pipeline[.rawData].cacheUsing(DiskCache(folder: url))
        }
        return service
    }

    private func isStored(_ path: Request.Path, _ service: WebService) async -> Bool {
        guard case .success = await service.GET(path).result else { return false }
        return true
    }

    @Test("Those that match are forgotten, in memory and on disk, and no others")
    func pattern() async {
        let service = service(MemoryCache())
        let paths: [Request.Path] = ["/stores/1", "/stores/2?a=1", "/files/1", "/files/2"]
        for path in paths { _ = await service.GET(path).result }
        server.goOffline()
        for path in paths { #expect(await isStored(path, service)) }
        service.wipeCaches("/*/2")
        #expect(await isStored("/stores/1", service))
        #expect(await isStored("/files/1", service))
        #expect(await !isStored("/stores/2?a=1", service))
        #expect(await !isStored("/files/2", service))
        service.wipeCaches()
        #expect(await !isStored("/stores/1", service))
        #expect(await !isStored("/files/1", service))
        #expect(folder.names.isEmpty)
    }

    @Test("What an earlier launch left is wiped before any request was made")
    func relaunch() async {
        let earlier = service(MemoryCache())
        _ = await earlier.GET("/files/1").result
        server.goOffline()
        // The disk cache writes the file after the response, and reads it after the write.
        #expect(await isStored("/files/1", earlier))
        let service = service(MemoryCache())
        service.wipeCaches("/files/*")
        // The cache that is wiped has its own queue.
        await until { folder.names.isEmpty }
        #expect(await !isStored("/files/1", service))
    }

    @Test("A wipe and later requests share the cache that a closure creates")
    func sharedResult() {
        let runs = Recorder<Void>()
        let service = WebService.idle("http://service.test").configured("/files/*") {
            $0.pipeline[.model].cacheUsing(MemoryCache())
            runs.append(())
        }
        service.wipeCaches()
        _ = service.GET("/files/1")
        #expect(runs.values.count == 1)
    }

    @Test("A response is known by what was asked for, wherever redirects led")
    func redirected() async throws {
        for cache in [MemoryCache(), DiskCache(folder: folder.url)] as [any EntityCache] {
            let asked = try sampleRequest("http://service.test/asked")
            let led = try cached(for: sampleRequest("http://service.test/led"))
            let response = CachedResponse(response: led.response, data: led.data, for: asked)
            cache.write(response, for: "key")
            cache.removeAll { $0.path == "/led" }
            #expect(cache.read("key") != nil)
            cache.removeAll { $0.path == "/asked" }
            #expect(cache.read("key") == nil)
        }
    }

    @Test("The closure that says what to forget may use the cache", .timeLimit(.minutes(10)))
    func reentrantWipe() throws {
        let cache = MemoryCache()
        for name in ["a", "b"] {
            try cache.write(cached(name, for: sampleRequest("http://service.test/\(name)")), for: name)
        }
        cache.removeAll { url in cache.read(url.lastPathComponent)?.text == "a" }
        #expect(cache.read("a") == nil && cache.read("b") != nil)
    }

    @Test("A cache that knows nothing of it keeps what it has")
    func unaware() async {
        let service = service(ByteCache())
        _ = await service.GET("/stores/1").result
        server.goOffline()
        // The cache stores the response after the handler ran, and reads it after that write.
        #expect(await isStored("/stores/1", service))
        service.wipeCaches()
        #expect(await isStored("/stores/1", service))
    }

    @Test("Files that are no entries, or damaged ones, are left alone and never trap")
    func damaged() throws {
        let cache = DiskCache(folder: folder.url)
        cache.write(try cached(), for: "a")
        let file = try folder.onlyFile()
        var bytes = try Data(contentsOf: file)
        for end in [0, 40, 79, 81, bytes.count - 5] {
            try bytes.prefix(end).write(to: file)
            cache.removeAll { _ in true }
        }
        bytes.replaceSubrange(64..<72, with: [UInt8](repeating: 0xFF, count: 8))
        try bytes.write(to: file)
        try Data("x".utf8).write(to: folder.file("other"))
        cache.removeAll { _ in true }
        #expect(folder.names.contains("other"))
    }
}
