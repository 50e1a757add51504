import Foundation
import Swallow
import SwallowLock

/// The events of a ``Resource`` as an asynchronous sequence.
///
/// ```swift
/// for await _ in stores.events { show(stores.latestContent ?? []) }
/// ```
///
/// An iterator is an observer from its first `next()`, which returns ``ResourceEvent/observerAdded``, until its
/// release. Events between two calls of `next()` are queued. Cancelling the Swift task ends the sequence.
public struct ResourceEvents: AsyncSequence, Sendable {
    private let observe: @MainActor (EventQueue) -> Void

    init(_ observe: @escaping @MainActor (EventQueue) -> Void) {
        self.observe = observe
    }

    /// Returns an iterator that observes the resource from its first `next()`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(observe: observe)
    }

    /// An iterator that returns one event after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let observe: @MainActor (EventQueue) -> Void
        private let queue = EventQueue()
        private var isObserving = false

        fileprivate init(observe: @escaping @MainActor (EventQueue) -> Void) {
            self.observe = observe
        }

        /// Returns the next event, or `nil` at the end of the sequence.
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
    /// The events as an `AsyncSequence`, which keeps the resource alive. An iterator counts as an observer. Code that
    /// reads properties under Swift's Observation, such as a SwiftUI view, doesn't.
    public var events: ResourceEvents {
        ResourceEvents { queue in
            queue.onEnd { [weak self] in _ = self?.isObserved }
            self.addObserver(owner: queue) { queue, resource, event in queue.append(event) }
        }
    }
}

/// The events that an iterator hasn't returned yet. This object owns the iterator's observer.
final class EventQueue: Sendable {
    private let stream: AsyncStream<ResourceEvent>
    private let continuation: AsyncStream<ResourceEvent>.Continuation
    private let tidying: Lock<(@MainActor () -> Void)?> = Lock(nil)

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    deinit {
        guard let tidy = tidying.withLock({ $0 }) else { return }
        DispatchQueue.main.async { MainActor.assumeIsolated(tidy) }
    }

    func onEnd(_ closure: @escaping @MainActor () -> Void) {
        tidying.withLock { $0 = closure }
    }

    func append(_ event: ResourceEvent) { continuation.yield(event) }

    func next() async -> ResourceEvent? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next()
    }
}
