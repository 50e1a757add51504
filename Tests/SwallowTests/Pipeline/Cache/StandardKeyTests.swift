import Foundation
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct StandardKeyTests {
    private let cache = MemoryCache()

    private func key(
        _ url: String = "http://service.test/a", method: String = "GET", _ headers: [String: String] = [:]
    ) throws -> String? {
        cache.key(for: try sampleRequest(url, method: method, headers))
    }

    @Test("A key is the same in each run")
    func stability() throws {
        #expect(try key("http://service.test/a?b=1") == "GET http://service.test/a?b=1")
        let accept = "GET http://service.test/a\n" + SHA256.hexDigest(of: "4:json-1:-1:-1:-1:")
        #expect(try key(["Accept": "json"]) == accept)
    }

    private func key(_ headers: [String: String]) throws -> String? {
        try key("http://service.test/a", headers)
    }

    @Test("Method, URL and each selecting header make another key")
    func differences() throws {
        let keys = try [
            key(), key(method: "HEAD"), key("http://service.test/b"), key("http://service.test/a?"),
            key(["Accept": "x"]), key(["Accept-Language": "x"]), key(["Authorization": "x"]),
            key(["Cookie": "x"]), key(["Cookie": "y"]), key(["Cookie": ""]),
            key(["Proxy-Authorization": "x"]),
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test("Fragments, user info and other headers make no difference")
    func sameness() throws {
        #expect(try key("http://u:p@service.test/a") == key())
        #expect(try key("http://u@service.test/a?b=c@d") == key("http://service.test/a?b=c@d"))
        #expect(try key("http://service.test/a#part") == key())
        #expect(try key(["X-Request-ID": "1"]) == key())
        #expect(try key(["accept": "json"]) == key(["Accept": "json"]))
    }

    @Test("No secret is in a key")
    func secrets() throws {
        #expect(try key(["Authorization": "Bearer secret"])?.contains("secret") == false)
        #expect(try key(["Cookie": "session=secret"])?.contains("secret") == false)
        #expect(try key("http://u:secret@service.test/a")?.contains("secret") == false)
    }

    @Test("Only GET and HEAD have a key", arguments: ["POST", "PUT", "PATCH", "DELETE", "QUERY"])
    func methods(method: String) throws {
        #expect(try key(method: method) == nil)
    }

    @Test("A request with no-store has no key unless it is asked for")
    func noStore() throws {
        let forbidden = try request(["Cache-Control": "max-age=0, No-Store"])
        let folder = TemporaryFolder()
        #expect(MemoryCache().key(for: forbidden) == nil)
        #expect(MemoryCache(storesForbidden: true).key(for: forbidden) != nil)
        #expect(DiskCache(folder: folder.url).key(for: forbidden) == nil)
        #expect(DiskCache(folder: folder.url, storesForbidden: true).key(for: forbidden) != nil)
        #expect(try key(["Cache-Control": "no-cache, x=\"no-store\""]) != nil)
    }

    @Test("A request with Authorization has no key for the disk unless it is asked for")
    func authorization() throws {
        let authorized = try request(["authorization": "Bearer x"])
        let folder = TemporaryFolder()
        #expect(DiskCache(folder: folder.url).key(for: authorized) == nil)
        #expect(DiskCache(folder: folder.url, storesAuthorized: true).key(for: authorized) != nil)
        #expect(MemoryCache().key(for: authorized) != nil)
    }

    private func request(_ headers: [String: String]) throws -> URLRequest {
        try sampleRequest("http://service.test/a", headers)
    }
}
