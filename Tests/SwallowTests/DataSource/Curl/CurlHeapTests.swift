#if os(Linux) && canImport(Glibc)
    import Foundation
    import LoopbackServer
    import Swallow
    import TestSupport
    import Testing

    @Suite("The heap after many requests", .enabled(if: CurlDataSource.isAvailable && !Sanitizer.isThere))
    struct CurlHeapTests {
        /// `.ci/nightly` sends 100,000 requests of each kind.
        private static let count = ProcessInfo.processInfo.environment["SWALLOW_HEAP_REQUESTS"] ?? "5000"

        @Test("POSTs, DELETEs, cancelled requests and timed-out requests leave the heap's size unchanged")
        func requests() async throws {
            let server = try LoopbackServer(recordsRequests: false)
            // Otherwise, memory that threads keep for their next allocations would count as allocated.
            let (output, status) = try await TransportProbe.run(
                "heap", server.baseURLString, Self.count,
                environment: ["GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"])
            #expect(status == 0, "\(output)")
        }
    }
#endif
