import Foundation
import Swallow

/// The pages of a list, or their models. Each loop starts at the first page.
///
/// ```swift
/// for try await page in users.pages(size: 50) { show(page.items) }
/// for try await user in users.models() where user.isActive { invite(user) }
/// ```
///
/// The loop ends after the last page, or throws a `ServiceError` if a request fails. Cancelling the Swift task also
/// cancels the current request. The loop throws `.invalidResponse` if a page leads back to an earlier page, and if the
/// list continues after 100 consecutive pages without a model.
public struct PageSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let makeReader: @Sendable () -> AsyncIterator.Reader

    init<Model>(
        start: Result<Page<Model>, ServiceError>, prefetches: Bool,
        read: @escaping @Sendable (Page<Model>) -> ServiceFuture<Page<Model>>,
        elements: @escaping @Sendable (Page<Model>) -> [Element]
    ) {
        makeReader = {
            var reader = PageReader(upcoming: start, prefetches: prefetches, read: read)
            return { try await reader.next().map(elements) }
        }
    }

    /// Returns an iterator that starts at the first page. Nothing is sent before the first `next()`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(readPage: makeReader())
    }

    /// An iterator that reads one page after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        typealias Reader = () async throws -> [Element]?

        private var readPage: Reader?
        private var items: ArraySlice<Element> = []

        init(readPage: @escaping Reader) {
            self.readPage = readPage
        }

        /// Returns the next element, or `nil` after the last one and after an error.
        public mutating func next() async throws -> Element? {
            while items.isEmpty {
                guard let page = try await readPage?() else { return nil }
                items = page[...]
                // Many empty pages that arrive without a suspension must not keep other Swift tasks from running.
                if items.isEmpty { await Task.yield() }
            }
            if Task.isCancelled {
                (readPage, items) = (nil, [])
                throw ServiceError(.cancelled)
            }
            return items.popFirst()
        }
    }
}

private struct PageReader<Model: Sendable> {
    /// The page to read next. `nil` after the last page or an error.
    private var upcoming: Result<Page<Model>, ServiceError>?
    private let prefetches: Bool
    private let read: @Sendable (Page<Model>) -> ServiceFuture<Page<Model>>
    private var visited: Set<PagePosition> = []
    private var ahead: Ahead?
    private var emptyPages = 0

    init(
        upcoming: Result<Page<Model>, ServiceError>, prefetches: Bool,
        read: @escaping @Sendable (Page<Model>) -> ServiceFuture<Page<Model>>
    ) {
        self.upcoming = upcoming
        self.prefetches = prefetches
        self.read = read
    }

    mutating func next() async throws -> Page<Model>? {
        guard let request = try upcoming.take()?.get() else { return nil }
        guard visited.insert(request.position).inserted else {
            throw ServiceError.repeatedPage(request.position)
        }
        let page = try await result(of: request).get()
        if let url = page.url { visited.insert(.url(url)) }
        emptyPages = page.items.isEmpty ? emptyPages + 1 : 0
        guard emptyPages < 100 || !page.hasMore else {
            throw ServiceError(pagination: "100 consecutive pages have no models")
        }
        upcoming = page.following.map(Result.success)
        if prefetches, let next = page.following, !visited.contains(next.position) {
            ahead = Ahead(read(next))
        }
        return page
    }

    private mutating func result(of page: Page<Model>) async -> Result<Page<Model>, ServiceError> {
        if let ahead = ahead.take() { await ahead.result } else { await read(page).result }
    }

    /// A prefetched page. Releasing this object cancels its request.
    private final class Ahead: Sendable {
        private let task: Task<Result<Page<Model>, ServiceError>, Never>

        init(_ page: ServiceFuture<Page<Model>>) {
            task = Task { await page.result }
        }

        deinit {
            task.cancel()
        }

        var result: Result<Page<Model>, ServiceError> {
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
