/// The entities of a list, read page by page.
///
/// ```swift
/// for try await user in users.entities() where user.isActive { invite(user) }
/// ```
///
/// It ends as its pages do: see ``PageSequence``.
public struct EntitySequence<Entity: Sendable>: AsyncSequence, Sendable {
    let pages: PageSequence<Entity>

    /// Begins with the first entity; nothing is sent before it is asked for.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pages: pages.makeAsyncIterator())
    }

    /// Takes the entities of one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var pages: PageSequence<Entity>.AsyncIterator
        private var items: ArraySlice<Entity> = []

        init(pages: PageSequence<Entity>.AsyncIterator) {
            self.pages = pages
        }

        /// The next entity; nil after the last one, and after an error.
        public mutating func next() async throws -> Entity? {
            while items.isEmpty {
                guard let page = try await pages.next() else { return nil }
                items = page.items[...]
                // Answers may come at once: without this, empty pages would keep other Swift tasks from running.
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
