import Foundation
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct DiskCacheConcurrencyTests {
    @Test("Several caches over one folder, each on many threads, read nothing but whole responses")
    func sharing() async throws {
        let folder = TemporaryFolder()
        let caches = (0..<2).map { _ in DiskCache(folder: folder.url, sizeLimit: 60_000) }
        let responses = try (0..<12).map { try cached(String(repeating: "\($0),", count: 2000)) }
        let hits = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<6 {
                group.addTask {
                    let cache = caches[worker % 2]
                    for step in 0..<Sanitizer.rounds(250, sanitized: 60) {
                        let number = (step / 4 &* 5 &+ worker) % 12
                        let key = "\(number)"
                        switch (step + worker) % 4 {
                        case 0: cache.write(responses[number], for: key)
                        case 1: cache.updateTimestamp(Date(), for: key)
                        case 2 where step % 10 == 0: cache.remove(key)
                        default:
                            guard let stored = cache.read(key) else { continue }
                            #expect(stored.data == responses[number].data)
                            hits.withLock { $0 += 1 }
                        }
                    }
                }
            }
        }
        #expect(hits.withLock { $0 } > 0)
        #expect(folder.names.allSatisfy { $0.hasSuffix(".swallow") })
    }

    @Test("While a timestamp is rewritten, readers see the old one or the new one, and never a miss")
    func timestamps() async throws {
        let folder = TemporaryFolder()
        let cache = DiskCache(folder: folder.url)
        try cache.write(cached(), for: "a")
        let rounds = Sanitizer.rounds(1000, sanitized: 150)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    for second in 0..<rounds {
                        cache.updateTimestamp(Date(timeIntervalSinceReferenceDate: Double(second)), for: "a")
                    }
                }
                group.addTask {
                    for _ in 0..<rounds {
                        let timestamp = cache.read("a")?.timestamp
                        #expect(
                            timestamp.map { (0..<1000).contains($0.timeIntervalSinceReferenceDate) } == true)
                    }
                }
            }
        }
    }
}
