import Foundation
import Swallow

/// The pages of a list. Each page is read when the loop requests it.
///
/// ```swift
/// for try await page in users.pages(size: 50) { show(page.items) }
/// ```
///
/// The sequence ends after the last page, and after the first error. The error is a `ServiceError`. If the Swift task
/// is cancelled, the current request is cancelled, and the error is `.cancelled`. A page that leads back to an earlier
/// page is an error, and so are 100 pages in a row without an entity, so no server can keep the loop running forever.
/// Leaving the loop cancels the request for the page that was prefetched. Each loop reads the list again.
public struct PageSequence<Entity: Sendable>: AsyncSequence, Sendable {
    let start: Result<PageReference, ServiceError>
    let prefetches: Bool
    let read: @Sendable (PageReference) -> ServiceFuture<Page<Entity>>

    /// Returns an iterator that starts with the first page. Nothing is sent before the first `next()`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(upcoming: start, prefetches: prefetches, read: read)
    }

    /// Reads one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The page to read next, or `nil` after the end.
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

        /// Returns the next page, or `nil` after the last page and after an error.
        public mutating func next() async throws -> Page<Entity>? {
            guard let reference = try upcoming.take()?.get() else { return nil }
            guard visited.insert(reference.position).inserted else {
                throw ServiceError.repeatedPage(reference)
            }
            let page = try await page(reference).get()
            if let url = page.url { visited.insert(.url(url)) }
            emptyPages = page.items.isEmpty ? emptyPages + 1 : 0
            guard emptyPages < 100 || !page.hasMore else {
                throw ServiceError(pagination: "100 consecutive pages have no entities", response: nil)
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

    /// A page that is prefetched. Its request is cancelled when this object is released.
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
