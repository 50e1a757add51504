import Foundation

/// A service's clock: it dates responses, and every wait goes by it.
///
/// ``WebService/clock`` is ``SystemClock`` unless it is set; tests give a service a `ManualClock`, of the product
/// SwallowTesting, and move it by hand. Timeouts, the delays of stubs, the age of what caches hold and the expiry of
/// resources go by it. To write a clock takes two members, which are called on any thread.
public protocol ServiceClock: Sendable {
    /// The time, as a date, since cached responses that it dates may outlive the process.
    var now: Date { get }

    /// Runs an action once that time has passed, on any thread, unless the work is cancelled before.
    ///
    /// A delay of zero or less has passed at once; the action never runs inside this call.
    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledWork
}

extension ServiceClock {
    /// Suspends the current Swift task for a duration of this clock.
    ///
    /// A test that advances a `ManualClock` also wakes code that sleeps. A duration of zero or less is over at once.
    ///
    /// ```swift
    /// try await service.clock.sleep(for: .seconds(2))
    /// ```
    ///
    /// - Throws: `CancellationError` as soon as the Swift task is cancelled.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        // A manual clock runs work only when a test advances it.
        if duration <= .zero { return }
        let sleeper = Lock<CheckedContinuation<Void, Never>?>(nil)
        let wake: @Sendable () -> Void = { sleeper.withLock { $0.take() }?.resume() }
        let work = Lock<ScheduledWork?>(nil)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                sleeper.withLock { $0 = continuation }
                if Task.isCancelled { return wake() }
                let scheduled = schedule(after: duration, wake)
                work.withLock { $0 = scheduled }
            }
        } onCancel: {
            wake()
        }
        work.withLock { $0.take() }?.cancel()
        if Task.isCancelled { throw CancellationError() }
    }
}

/// An action that a ``ServiceClock`` will run.
public struct ScheduledWork: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Makes the result of `schedule` for a clock of your own.
    ///
    /// - Parameter onCancel: runs at each ``cancel()``, on the thread that calls it.
    public init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    /// Takes the action from the clock; does nothing once it runs.
    public func cancel() {
        onCancel()
    }
}

extension ScheduledWork? {
    /// Keeps work for an owner that cancels it at its end. Call it under the owner's lock.
    ///
    /// - Parameters:
    ///   - work: may be over already, and so may the former.
    ///   - isNeeded: whether the owner has yet to end.
    /// - Returns: what the owner lets go of without its lock.
    package mutating func keep(_ work: ScheduledWork, if isNeeded: Bool) -> ReplacedWork {
        if !isNeeded { return ReplacedWork(unneeded: work) }
        defer { self = work }
        return ReplacedWork(former: self)
    }
}

/// The work that an owner doesn't keep, or keeps no longer.
package struct ReplacedWork: Sendable {
    // Not cancelled: where the new work is over, the former one is what it has begun.
    private let former: ScheduledWork?
    private let unneeded: ScheduledWork?

    fileprivate init(former: ScheduledWork? = nil, unneeded: ScheduledWork? = nil) {
        (self.former, self.unneeded) = (former, unneeded)
    }

    /// Cancels the work where its owner has ended before it was kept.
    package func cancelIfUnneeded() { unneeded?.cancel() }
}

/// The system's clock. Actions run on threads of the package's own, so that code that blocks Swift's threads delays no
/// timeout.
public struct SystemClock: ServiceClock {
    package init() {}

    /// The system's time.
    public var now: Date { Date() }

    /// Runs an action later; more than a hundred years count as a hundred.
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> ScheduledWork {
        Timers.shared.schedule(after: delay, action)
    }
}

extension ServiceClock where Self == SystemClock {
    /// The system's clock.
    public static var system: SystemClock { SystemClock() }
}
