#if os(Linux) && canImport(Glibc)
    import CurlEngine
    import Foundation
    import LoopbackServer
    import TestSupport
    import Testing

    @testable import Swallow

    @Suite("The app's clock with CurlDataSource", .enabled(if: CurlDataSource.isAvailable))
    struct CurlClockThreadTests {
        private struct Watched: ServiceClock {
            let isOnLoop = Recorder<Bool>()

            var now: Date {
                isOnLoop.append(LoopThread.current != nil)
                return Date()
            }

            func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledWork {
                SystemClock.system.schedule(after: delay, action)
            }
        }

        @Test("The event loop doesn't read the clock for the timeout of a body that arrives in parts")
        func bodyParts() async throws {
            let (server, clock) = (try LoopbackServer(), Watched())
            var service = WebService.test(CurlDataSource(), base: server.baseURLString)
            service.clock = clock
            service.configure { $0.timeout = .seconds(3600) }
            var count = 0
            for try await part in service.GET("/bytes/1000000").body { count += part.count }
            #expect(count == 1_000_000)
            #expect(clock.isOnLoop.values.contains(false))
            #expect(!clock.isOnLoop.values.contains(true))
        }
    }
#endif
