import Foundation
import Swallow
import SwallowTesting
import TestSupport

/// A manual clock that reports when delays begin.
final class WaitingClock: ServiceClock {
    private let clock = ManualClock()
    private let delays = Recorder<Duration>()

    var now: Date { clock.now }
    var pending: Int { clock.pending }
    func advance(by time: Duration) { clock.advance(by: time) }

    /// Suspends until a number of delays have begun.
    func waiting(_ count: Int) async { _ = await delays.first(count) }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledWork {
        defer { delays.append(delay) }
        return clock.schedule(after: delay, action)
    }
}
