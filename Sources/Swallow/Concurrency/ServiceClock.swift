import Foundation

/// A service's clock. It dates responses, and measures delays and timeouts. It doesn't measure a data source's timeouts
/// for connecting and between two bytes. Any thread may call it. The default is ``SystemClock``. Tests use a
/// `ManualClock` from the product SwallowTesting.
public protocol ServiceClock: Sendable {
    /// The current time. It is a date, because stored responses that it dates may outlive the process.
    var now: Date { get }

    /// Runs an action after a delay, on any thread, unless the work is cancelled. Never runs it inside this call.
    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledWork
}

extension ServiceClock {
    /// Suspends the current Swift task for a duration of this clock. Returns immediately if it is zero or less.
    ///
    /// ```swift
    /// try await service.clock.sleep(for: .seconds(2))
    /// ```
    /// - Throws: `CancellationError` as soon as the Swift task is cancelled.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        // Even for a delay of zero, a manual clock would wait until a test advances it.
        if duration <= .zero { return }
        let (end, continuation) = AsyncStream.makeStream(of: Void.self)
        let work = schedule(after: duration) { continuation.finish() }
        // The loop also ends when the Swift task is cancelled.
        for await _ in end {}
        work.cancel()
        if Task.isCancelled { throw CancellationError() }
    }
}

/// A scheduled action of a ``ServiceClock``.
public struct ScheduledWork: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Creates the result of `schedule` for your own clock. `onCancel` runs for each ``cancel()``, on the same thread.
    public init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    /// Removes the action from the clock, unless the action has started.
    public func cancel() {
        onCancel()
    }
}

extension ScheduledWork? {
    /// Stores work if its owner still needs it. Call this function under the owner's lock.
    package mutating func store(_ work: ScheduledWork, if isNeeded: Bool) -> ReplacedWork {
        if !isNeeded { return ReplacedWork(unneeded: work) }
        defer { self = work }
        return ReplacedWork(former: self)
    }
}

package struct ReplacedWork: Sendable {
    // The former work isn't cancelled, because it may have started the new work.
    private let former: ScheduledWork?
    private let unneeded: ScheduledWork?

    fileprivate init(former: ScheduledWork? = nil, unneeded: ScheduledWork? = nil) {
        (self.former, self.unneeded) = (former, unneeded)
    }

    package func cancelIfUnneeded() { unneeded?.cancel() }
}

/// The system's clock. Scheduled actions run on time even if an app blocks the threads of Swift concurrency.
public struct SystemClock: ServiceClock {
    package init() {}

    /// The system's time.
    public var now: Date { Date() }

    /// Runs an action after a delay. A delay of more than a hundred years is shortened to a hundred years.
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
