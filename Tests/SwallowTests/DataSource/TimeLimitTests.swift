import Foundation
import LoopbackServer
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if os(Linux) && canImport(Glibc)
    @Suite("The total timeout of a data source", .enabled(if: CurlDataSource.isAvailable))
    struct TimeLimitTests {
        @Test("A timer that is cancelled too late doesn't fail the next attempt")
        func lateTimer() async throws {
            let (clock, arrived, mayContinue) = (LateClock(), Recorder<Void>(), DispatchSemaphore(value: 0))
            let server = try LoopbackServer { _ in
                arrived.append(())
                if arrived.values.count == 1 { return .respond(.text("no", status: 503)) }
                mayContinue.wait()
                return .respond(.text("yes"))
            }
            var configuration = CurlDataSource.Configuration()
            configuration.totalTimeout = .seconds(10)
            let source = CurlDataSource(configuration: configuration)
            var service = WebService.test(source, base: server.baseURLString)
            service.clock = clock
            service.configure {
                $0.retry = RetryPolicy()
                $0.retry.maximumRetries = 1
                $0.retry.backoff = .init(first: .seconds(5))
                $0.retry.jitter = 1...1
                $0.adaptRequest { $0.timeoutInterval = 3600 }
            }
            let task = service.GET("/")
            // The timer of the first attempt, and the delay before the second.
            await clock.waiting(2)
            clock.advance(by: .seconds(5))
            _ = await arrived.first(2)
            clock.advance(by: .seconds(5))
            mayContinue.signal()
            #expect(try await task.text == "yes")
        }
    }

    /// A manual clock whose actions run even if they are cancelled, as if each cancellation was too late.
    private final class LateClock: ServiceClock {
        private let clock = WaitingClock()

        var now: Date { clock.now }
        func waiting(_ count: Int) async { await clock.waiting(count) }
        func advance(by time: Duration) { clock.advance(by: time) }

        func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledWork {
            _ = clock.schedule(after: delay, action)
            return ScheduledWork {}
        }
    }
#endif
