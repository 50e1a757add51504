import Foundation

/// The pages of a list, each of them read when it is asked for.
///
/// ```swift
/// for try await page in users.pages(size: 50) { show(page.items) }
/// ```
///
/// It ends after the last page, and after the first error, which is a ``ServiceError``: `.cancelled` where the Swift
/// task is cancelled, which ends the request under way. A page that leads back to one that was there before is an error
/// too, and so are 100 pages without an entity in a row, so no server can keep it going round. Leaving the loop stops
/// what was asked for ahead. Each loop reads the list anew.
public struct PageSequence<Entity: Sendable>: AsyncSequence, Sendable {
    let start: Result<PageReference, ServiceError>
    let prefetches: Bool
    let read: @Sendable (PageReference) -> ServiceFuture<Page<Entity>>

    /// Begins with the first page; nothing is sent before it is asked for.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(upcoming: start, prefetches: prefetches, read: read)
    }

    /// Reads one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// What to read next; nil after the end.
        private var upcoming: Result<PageReference, ServiceError>?
        private let prefetches: Bool
        private let read: @Sendable (PageReference) -> ServiceFuture<Page<Entity>>
        private var visited: Set<PagePosition> = []
        private var ahead: Ahead?
        private var emptyPages = 0

        init(
            upcoming: Result<PageReference, ServiceError>, prefetches: Bool,
            read: @escaping @Sendable (PageReference) -> ServiceFuture<Page<Entity>>
        ) {
            self.upcoming = upcoming
            self.prefetches = prefetches
            self.read = read
        }

        /// The next page; nil after the last one, and after an error.
        public mutating func next() async throws -> Page<Entity>? {
            guard let reference = try upcoming.take()?.get() else { return nil }
            guard visited.insert(reference.position).inserted else {
                throw ServiceError.repeatedPage(reference)
            }
            let page = try await page(reference).get()
            if let url = page.url { visited.insert(.url(url)) }
            emptyPages = page.items.isEmpty ? emptyPages + 1 : 0
            guard emptyPages < 100 || !page.hasMore else {
                throw ServiceError(pagination: "100 pages in a row have no entity", response: nil)
            }
            upcoming = page.following.map(Result.success)
            if prefetches, let next = page.following, !visited.contains(next.position) {
                ahead = Ahead(read(next))
            }
            return page
        }

        mutating func end() {
            upcoming = nil
            ahead = nil
        }

        private mutating func page(_ reference: PageReference) async -> Result<Page<Entity>, ServiceError> {
            if let ahead = ahead.take() { await ahead.result } else { await read(reference).result }
        }
    }

    /// A page that is read ahead; its request is cancelled when this is released.
    private final class Ahead: Sendable {
        private let task: Task<Result<Page<Entity>, ServiceError>, Never>

        init(_ page: ServiceFuture<Page<Entity>>) {
            task = Task { await page.result }
        }

        deinit {
            task.cancel()
        }

        var result: Result<Page<Entity>, ServiceError> {
            get async {
                if Task.isCancelled { return .failure(ServiceError(.cancelled)) }
                return await withTaskCancellationHandler {
                    await task.value
                } onCancel: {
                    task.cancel()
                }
            }
        }
    }
}
