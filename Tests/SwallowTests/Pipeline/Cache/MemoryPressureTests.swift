import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("When the system runs out of memory")
struct MemoryPressureTests {
    private let pressure = MemoryPressure()

    @Test("Caches in memory are emptied, and go on keeping what comes later")
    func caches() throws {
        let cache = MemoryCache(countLimit: 8, costLimit: 1 << 20, storesForbidden: false, pressure)
        let request = try sampleRequest()
        let response = try cached()
        cache.write(response, for: "a")
        pressure.relieve()
        #expect(cache.read("a") == nil)
        cache.write(response, for: "a")
        #expect(cache.read("a") != nil && cache.key(for: request) != nil)
    }

    @Test("It keeps no cache alive")
    func weak() throws {
        weak var cache: MemoryCache?
        do {
            let strong = MemoryCache(countLimit: 8, costLimit: 1 << 20, storesForbidden: false, pressure)
            cache = strong
            pressure.relieve()
        }
        #expect(cache == nil)
        pressure.relieve()
    }
}
