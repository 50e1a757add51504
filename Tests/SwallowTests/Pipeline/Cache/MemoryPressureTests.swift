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
        let cache = MemoryCache(countLimit: 8, costLimit: 1 << 20, keepsForbidden: false, pressure)
        let request = try sampleRequest()
        let response = try cached()
        cache.write(response, for: "a")
        pressure.relieve()
        #expect(cache.read("a") == nil)
        cache.write(response, for: "a")
        #expect(cache.read("a") != nil && cache.key(for: request) != nil)
    }

    @Test("It keeps no owner alive")
    func weak() throws {
        final class Owner: Sendable {}
        weak var owner: Owner?
        let calls = Recorder<Int>()
        do {
            let strong = Owner()
            owner = strong
            pressure.add(strong) { _ in calls.append(1) }
            pressure.relieve()
        }
        #expect(owner == nil && calls.values.count == 1)
        for _ in 0..<100 { pressure.add(Owner()) { _ in calls.append(2) } }
        pressure.relieve()
        #expect(calls.values == [1])
    }
}
