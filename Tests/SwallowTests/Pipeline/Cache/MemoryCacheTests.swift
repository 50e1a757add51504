import Foundation
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct MemoryCacheTests {
    private func texts(_ cache: MemoryCache, _ keys: String) -> String {
        keys.filter { cache.read(String($0))?.text == String($0) }
    }

    private func fill(_ cache: MemoryCache, _ keys: String) throws {
        for key in keys { try cache.write(cached(String(key)), for: String(key)) }
    }

    @Test("What is written is read, content included")
    func content() throws {
        let cache = MemoryCache()
        try cache.write(cached("a", content: ["made"]), for: "a")
        #expect(cache.read("a")?.content as? [String] == ["made"])
        #expect(cache.read("b") == nil)
    }

    @Test("Beyond the count the least recently used go first: read, written and replaced ones stay")
    func countLimit() throws {
        let cache = MemoryCache(countLimit: 3)
        try fill(cache, "abc")
        _ = cache.read("a")
        try fill(cache, "bd")
        #expect(texts(cache, "abcd") == "abd")
    }

    @Test("A new timestamp doesn't count as a use")
    func timestamp() throws {
        let cache = MemoryCache(countLimit: 2)
        try fill(cache, "ab")
        cache.updateTimestamp(.distantFuture, for: "a")
        #expect(cache.read("a")?.timestamp == .distantFuture)
        try fill(cache, "ab")
        cache.updateTimestamp(.distantPast, for: "a")
        try fill(cache, "c")
        #expect(texts(cache, "abc") == "bc")
        cache.updateTimestamp(.distantPast, for: "none")
    }

    @Test("Beyond the cost as many go as it takes")
    func costLimit() throws {
        let cache = MemoryCache(costLimit: 4 * (MemoryCache.overhead + 1))
        try fill(cache, "abcd")
        #expect(texts(cache, "abcd") == "abcd")
        try cache.write(cached(String(repeating: "x", count: MemoryCache.overhead)), for: "x")
        #expect(texts(cache, "abcd") == "cd")
    }

    @Test("A replaced response's cost counts no more")
    func replacedCost() throws {
        let cache = MemoryCache(costLimit: 2 * (MemoryCache.overhead + 10))
        for _ in 0..<100 { try cache.write(cached("0123456789"), for: "a") }
        try fill(cache, "b")
        #expect(cache.read("a") != nil)
        try cache.write(cached("1"), for: "a")
        #expect(texts(cache, "b") == "b")
        cache.remove("a")
        try cache.write(cached("0123456789"), for: "c")
        #expect(texts(cache, "b") == "b")
    }

    @Test(
        "A response that is larger than the limit isn't kept, nor the old one in its place, and no other goes"
    )
    func tooLarge() throws {
        let cache = MemoryCache(costLimit: 3 * MemoryCache.overhead)
        try fill(cache, "ab")
        try cache.write(cached(String(repeating: "x", count: 4 * MemoryCache.overhead)), for: "a")
        #expect(cache.read("a") == nil)
        #expect(texts(cache, "b") == "b")
    }

    @Test("A limit of zero or less keeps nothing", arguments: [0, -1, Int.min])
    func noLimit(limit: Int) throws {
        for cache in [MemoryCache(countLimit: limit), MemoryCache(costLimit: limit)] {
            try fill(cache, "ab")
            #expect(texts(cache, "ab") == "")
        }
    }

    @Test("A limit may be as large as it gets")
    func largestLimit() throws {
        let cache = MemoryCache(countLimit: .max, costLimit: .max)
        try fill(cache, "ab")
        #expect(texts(cache, "ab") == "ab")
    }

    @Test("After removeAll the cache is empty and of use again")
    func removeAll() throws {
        let cache = MemoryCache(countLimit: 2)
        try fill(cache, "ab")
        cache.removeAll()
        #expect(texts(cache, "ab") == "")
        try fill(cache, "cde")
        #expect(texts(cache, "cde") == "de")
    }

    @Test("A no-store response isn't kept, nor the old one in its place, unless it is asked for")
    func noStore() throws {
        let cache = MemoryCache()
        try fill(cache, "a")
        let forbidden = try cached("new", headers: ["cache-control": "private, NO-STORE"])
        cache.write(forbidden, for: "a")
        #expect(cache.read("a") == nil)
        let asked = MemoryCache(storesForbidden: true)
        asked.write(forbidden, for: "a")
        #expect(asked.read("a")?.text == "new")
    }

    @Test("It does as a plain list of the most recent would, whatever is asked of it")
    func model() throws {
        let limit = 8
        let cache = MemoryCache(countLimit: limit)
        var recent: [String] = []
        for _ in 0..<5000 {
            let key = "\(Int.random(in: 0..<16))"
            let isStored = recent.contains(key)
            let operation = Int.random(in: 0..<4)
            if operation > 0 || isStored { recent.removeAll { $0 == key } }
            switch operation {
            case 0:
                #expect((cache.read(key) != nil) == isStored)
                if isStored { recent.append(key) }
            case 1: cache.remove(key)
            default:
                try cache.write(cached(key), for: key)
                recent.append(key)
                recent = recent.suffix(limit)
            }
        }
        for key in (0..<16).map(String.init) {
            #expect((cache.read(key) != nil) == recent.contains(key))
        }
    }

    @Test("Content that is pushed out is released outside the lock")
    func release() throws {
        final class Content: Sendable {
            let cache: MemoryCache
            init(_ cache: MemoryCache) { self.cache = cache }
            deinit { _ = cache.read("b") }
        }
        let cache = MemoryCache(countLimit: 1)
        try cache.write(cached(content: Content(cache)), for: "a")
        try cache.write(cached(content: Content(cache)), for: "b")
        try cache.write(cached(content: Content(cache)), for: "b")
        cache.remove("b")
        try cache.write(cached(content: Content(cache)), for: "c")
        cache.removeAll()
        #expect(cache.read("c") == nil)
    }

    @Test("It may be used from all threads at once")
    func concurrency() async throws {
        let cache = MemoryCache(countLimit: 20, costLimit: 30 * MemoryCache.overhead)
        let responses = try (0..<40).map { (number: Int) in try cached("\(number)", content: number) }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for step in 0..<2000 {
                        let number = (step &* 31 &+ worker &* 7) % 40
                        let key = "\(number)"
                        switch (step + worker) % 5 {
                        case 0: cache.write(responses[number], for: key)
                        case 1: cache.updateTimestamp(Date(), for: key)
                        case 2: cache.remove(key)
                        default:
                            guard let stored = cache.read(key) else { continue }
                            #expect(stored.content as? Int == number)
                        }
                        if step % 500 == worker { cache.removeAll() }
                    }
                }
            }
        }
    }
}
