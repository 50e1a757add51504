import Foundation

/// The events of a ``Resource``, one after the other, for async code.
///
/// ```swift
/// for await _ in stores.events { show(stores.latestContent ?? []) }
/// ```
///
/// An iterator counts as an observer from its first `next()`, whose event is ``ResourceEvent/observerAdded``, until it is
/// let go of. Events that come while none is awaited are kept. It ends when the Swift task that awaits is cancelled.
public struct ResourceEvents: AsyncSequence, Sendable {
    private let observe: @MainActor (EventQueue) -> Void

    init(_ observe: @escaping @MainActor (EventQueue) -> Void) {
        self.observe = observe
    }

    /// Makes an iterator, which observes the resource once it is asked.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(observe: observe)
    }

    /// Gives one event after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let observe: @MainActor (EventQueue) -> Void
        private let queue = EventQueue()
        private var isObserving = false

        fileprivate init(observe: @escaping @MainActor (EventQueue) -> Void) {
            self.observe = observe
        }

        /// The next event; nil once the Swift task is cancelled.
        public mutating func next() async -> ResourceEvent? {
            if !isObserving {
                isObserving = true
                let (observe, queue) = (observe, queue)
                await MainActor.run { observe(queue) }
            }
            return await queue.next()
        }
    }
}

extension Resource {
    /// The events as an `AsyncSequence`, which keeps the resource.
    ///
    /// An iterator counts as an observer; who reads the properties under Observation, as a SwiftUI view does, doesn't.
    public var events: ResourceEvents {
        ResourceEvents { queue in
            queue.onEnd { [weak self] in _ = self?.isObserved }
            self.addObserver(owner: queue) { queue, resource, event in queue.append(event) }
        }
    }
}

/// The events that an iterator has not given yet. It owns the iterator's place among the observers.
final class EventQueue: Sendable {
    private let stream: AsyncStream<ResourceEvent>
    private let continuation: AsyncStream<ResourceEvent>.Continuation
    private let tidying: Lock<(@MainActor () -> Void)?> = Lock(nil)

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    deinit {
        guard let tidy = tidying.withLock({ $0 }) else { return }
        DispatchQueue.mainActor.async { MainActor.assumeIsolated(tidy) }
    }

    /// Runs a closure on the main actor soon after the end.
    func onEnd(_ closure: @escaping @MainActor () -> Void) {
        tidying.withLock { $0 = closure }
    }

    func append(_ event: ResourceEvent) { continuation.yield(event) }

    func next() async -> ResourceEvent? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next()
    }
}
