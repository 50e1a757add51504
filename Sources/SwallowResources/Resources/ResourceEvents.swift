import Foundation
import Swallow

/// The events of a ``Resource`` as an asynchronous sequence.
///
/// ```swift
/// for await _ in stores.events { show(stores.latestContent ?? []) }
/// ```
///
/// An iterator is an observer from its first `next()`, which returns ``ResourceEvent/observerAdded``, until its
/// release. Events between two calls of `next()` are queued. Cancelling the Swift task ends the sequence.
public struct ResourceEvents: AsyncSequence, Sendable {
    fileprivate let observe: @MainActor @Sendable () -> AsyncStream<ResourceEvent>

    /// Returns an iterator that observes the resource from its first `next()`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(observe: observe)
    }

    /// An iterator that returns one event after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let observe: @MainActor @Sendable () -> AsyncStream<ResourceEvent>
        private var stream: AsyncStream<ResourceEvent>?

        fileprivate init(observe: @escaping @MainActor @Sendable () -> AsyncStream<ResourceEvent>) {
            self.observe = observe
        }

        /// Returns the next event, or `nil` at the end of the sequence.
        public mutating func next() async -> ResourceEvent? {
            if stream == nil { stream = await observe() }
            var events = stream?.makeAsyncIterator()
            return await events?.next()
        }
    }
}

extension Resource {
    /// The events as an `AsyncSequence`, which keeps the resource alive. An iterator counts as an observer. Code that
    /// reads properties under Swift's Observation, such as a SwiftUI view, doesn't.
    public var events: ResourceEvents {
        ResourceEvents {
            let (stream, events) = AsyncStream.makeStream(of: ResourceEvent.self)
            let owner = IteratorOwner()
            self.addObserver(owner: owner) { _, _, event in events.yield(event) }
            // The stream ends with the release of the iterator, or with the cancellation of its Swift task.
            events.onTermination = { [weak self] _ in
                DispatchQueue.main.async {
                    MainActor.assumeIsolated { self?.removeObservers(ownedBy: owner) }
                }
            }
            return stream
        }
    }
}

/// The owner of an iterator's observer.
private final class IteratorOwner: Sendable {}
