import Swallow

/// The entities of a list, read page by page.
///
/// ```swift
/// for try await user in users.entities() where user.isActive { invite(user) }
/// ```
///
/// The sequence ends as its pages do. See ``PageSequence``.
public struct EntitySequence<Entity: Sendable>: AsyncSequence, Sendable {
    let pages: PageSequence<Entity>

    /// Returns an iterator that starts with the first entity. Nothing is sent before the first `next()`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pages: pages.makeAsyncIterator())
    }

    /// Reads one page after another and returns their entities.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var pages: PageSequence<Entity>.AsyncIterator
        private var items: ArraySlice<Entity> = []

        init(pages: PageSequence<Entity>.AsyncIterator) {
            self.pages = pages
        }

        /// Returns the next entity, or `nil` after the last entity and after an error.
        public mutating func next() async throws -> Entity? {
            while items.isEmpty {
                guard let page = try await pages.next() else { return nil }
                items = page.items[...]
                // Responses may arrive without a suspension. Without this yield, empty pages would keep other Swift
                // tasks from running.
                if items.isEmpty { await Task.yield() }
            }
            if Task.isCancelled {
                items = []
                pages.end()
                throw ServiceError(.cancelled)
            }
            return items.popFirst()
        }
    }
}
