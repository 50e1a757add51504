import Foundation
import Swallow
import SwallowTesting
import TestSupport

/// A manual clock that tells when somebody waits.
final class WaitingClock: ServiceClock {
    private let clock = ManualClock()
    private let delays = Recorder<Duration>()

    var now: Date { clock.now }
    var pending: Int { clock.pending }
    func advance(by time: Duration) { clock.advance(by: time) }

    /// Suspends until that many waits have begun.
    func waiting(_ count: Int) async { _ = await delays.first(count) }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledWork {
        defer { delays.append(delay) }
        return clock.schedule(after: delay, action)
    }
}
