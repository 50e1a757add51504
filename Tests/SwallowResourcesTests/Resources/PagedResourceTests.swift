import Foundation
import Observation
import Swallow
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A paged resource")
@MainActor
struct PagedResourceTests {
    private struct Post: Codable, Identifiable, Equatable, Sendable {
        let id: Int
        var title = "a"
    }

    private let bench = Bench()

    private func posts() -> PagedResource<Post> {
        bench.store.pages("/posts", of: Post.self, pagination: .link)
    }

    private func json(_ ids: some Sequence<Int>, title: String = "a") -> String {
        "[\(ids.map { #"{"id": \#($0), "title": "\#(title)"}"# }.joined(separator: ","))]"
    }

    /// Responds with posts and with a link to the next page.
    private func answer(_ number: Int, _ ids: some Sequence<Int>, title: String = "a", next: Int? = nil) async
    {
        let link = next.map { ["Link": #"</v1/posts?page=\#($0)>; rel="next""#] } ?? [:]
        await bench.answer(number, json(ids, title: title), headers: link)
    }

    /// Returns a list that has loaded two pages of two posts, and that has a third page.
    private func twoPages() async -> PagedResource<Post> {
        let posts = posts()
        let first = posts.loadNextPage()
        await answer(1, 1...2, next: 2)
        _ = await first.result
        let second = posts.loadNextPage()
        await answer(2, 3...4, next: 3)
        _ = await second.result
        return posts
    }

    private func ids(_ posts: PagedResource<Post>) -> [Int] { posts.items.map(\.id) }

    @Test("It grows page by page, until there is no more")
    func grows() async throws {
        let posts = posts()
        #expect(posts.items.isEmpty && posts.hasMore && bench.requestCount == 0)
        let first = posts.loadNextPage()
        #expect(posts.isReloading && !posts.isLoadingNextPage)
        await answer(1, 1...2, next: 2)
        #expect(try await first.value.items.map(\.id) == [1, 2])
        #expect(ids(posts) == [1, 2] && posts.hasMore)
        let second = posts.loadNextPage()
        #expect(posts.isLoadingNextPage && !posts.isReloading)
        await answer(2, 3...3)
        _ = try await second.value
        #expect(ids(posts) == [1, 2, 3] && !posts.hasMore && !posts.isLoadingNextPage)
        #expect(try await posts.loadNextPage().value.items.map(\.id) == [3])
        let sent = bench.source.exchanges.values.map { $0.request.url?.absoluteString }
        #expect(sent == ["http://service.test/v1/posts", "http://service.test/v1/posts?page=2"])
    }

    @Test("A call while a page is loading joins its load")
    func joins() async throws {
        let posts = posts()
        let loads = [posts.loadNextPage(), posts.loadNextPage()]
        await answer(1, 1...2, next: 2)
        for load in loads { _ = try await load.value }
        let later = [posts.loadNextPage(), posts.loadNextPage()]
        await answer(2, 3...4)
        for load in later { #expect(try await load.value.items.map(\.id) == [3, 4]) }
        #expect(bench.requestCount == 2 && ids(posts) == [1, 2, 3, 4])
    }

    @Test("An error on a later page keeps the items, and the page can be loaded again")
    func laterError() async {
        let posts = await twoPages()
        let load = posts.loadNextPage()
        await bench.answer(3, "", status: 500)
        _ = await load.result
        #expect(ids(posts) == [1, 2, 3, 4] && posts.hasMore && posts.latestError?.isServerError == true)
        let again = posts.loadNextPage()
        #expect(posts.latestError == nil)
        await answer(4, 5...5)
        _ = await again.result
        #expect(ids(posts) == [1, 2, 3, 4, 5] && posts.latestError == nil)
    }

    @Test("An error on the first page can be followed by another try at once")
    func firstError() async {
        let posts = posts()
        let load = posts.loadNextPage()
        await bench.answer(1, "", status: 500)
        _ = await load.result
        #expect(posts.latestError != nil && posts.hasMore)
        posts.loadNextPage()
        #expect(posts.isReloading && posts.latestError == nil)
    }

    @Test("Items with the same id appear once, updated in their place")
    func duplicates() async {
        let posts = await twoPages()
        let load = posts.loadNextPage()
        await answer(3, [2, 5, 5], title: "b")
        _ = await load.result
        #expect(ids(posts) == [1, 2, 3, 4, 5])
        #expect(posts.items.map(\.title) == ["a", "b", "a", "a", "b"])
    }

    @Test("A reload keeps the items until the first page has arrived, and then starts over")
    func reload() async {
        let posts = await twoPages()
        let later = posts.loadNextPage()
        let reload = posts.reload()
        #expect(ids(posts) == [1, 2, 3, 4] && posts.isReloading && !posts.isLoadingNextPage)
        #expect(await later.result.reason == .cancelled)
        let joined = posts.loadNextPage()
        await answer(4, [7, 1], next: 2)
        _ = await reload.result
        _ = await joined.result
        #expect(ids(posts) == [7, 1] && posts.hasMore && bench.requestCount == 4)
        posts.loadNextPage()
        await answer(5, [2])
        await until { !posts.isLoadingNextPage }
        #expect(ids(posts) == [7, 1, 2] && !posts.hasMore)
    }

    @Test("A reload that fails keeps the items and their later pages")
    func reloadFails() async {
        let posts = await twoPages()
        let reload = posts.reload()
        await bench.answer(3, "", status: 500)
        _ = await reload.result
        #expect(ids(posts) == [1, 2, 3, 4] && posts.latestError != nil)
        let later = posts.loadNextPage()
        await answer(4, [5])
        _ = await later.result
        #expect(ids(posts) == [1, 2, 3, 4, 5])
    }

    @Test("A retry repeats a failed reload, which replaces all items")
    func retryReload() async throws {
        let posts = await twoPages()
        #expect(posts.retry() == nil && bench.requestCount == 2)
        let reload = posts.reload()
        await bench.answer(3, "", status: 500)
        _ = await reload.result
        let retry = try #require(posts.retry())
        #expect(posts.isReloading && posts.latestError == nil && ids(posts) == [1, 2, 3, 4])
        await answer(4, [7, 1], next: 2)
        _ = await retry.result
        #expect(ids(posts) == [7, 1] && posts.hasMore && posts.latestError == nil)
    }

    @Test("A retry repeats a failed refresh of the first page, and keeps the later pages")
    func retryRefresh() async throws {
        let posts = await twoPages()
        let refresh = posts.firstPage.load()
        await bench.answer(3, "", status: 500)
        _ = await refresh.result
        let retry = try #require(posts.retry())
        await answer(4, [7, 1], next: 2)
        _ = await retry.result
        #expect(ids(posts) == [7, 1, 2, 3, 4] && posts.latestError == nil)
    }

    @Test("A retry repeats the load of a later page")
    func retryLaterPage() async throws {
        let posts = await twoPages()
        let load = posts.loadNextPage()
        await bench.answer(3, "", status: 500)
        _ = await load.result
        let retry = try #require(posts.retry())
        #expect(posts.isLoadingNextPage && !posts.isReloading)
        await answer(4, [5])
        _ = await retry.result
        #expect(ids(posts) == [1, 2, 3, 4, 5] && !posts.hasMore && posts.latestError == nil)
    }

    @Test("A reload that a 304 confirms starts over, too")
    func reloadNotModified() async {
        let posts = posts()
        let first = posts.loadNextPage()
        let headers = ["ETag": #""a""#, "Link": #"</v1/posts?page=2>; rel="next""#]
        await bench.answer(1, json(1...2), headers: headers)
        _ = await first.result
        let second = posts.loadNextPage()
        await answer(2, 3...4)
        _ = await second.result
        let reload = posts.reload()
        await bench.answer(3, "", status: 304)
        _ = await reload.result
        #expect(ids(posts) == [1, 2] && posts.hasMore)
    }

    @Test("A refresh of the first page updates items in place, and puts new ones in front")
    func refresh() async {
        bench.store.refreshTriggers = [.every(.seconds(60), jitter: 0)]
        let posts = await twoPages()
        var events: [ResourceEvent] = []
        posts.addObserver(owner: bench) { _, posts, event in events.append(event) }
        bench.clock.advance(by: .seconds(61))
        #expect(posts.isReloading)
        await answer(3, [9, 2, 1], title: "b", next: 2)
        await until { !posts.isReloading }
        #expect(ids(posts) == [9, 1, 2, 3, 4])
        #expect(posts.items.map(\.title) == ["b", "b", "b", "a", "a"])
        let later = posts.loadNextPage()
        await answer(4, [5, 2], title: "c")
        _ = await later.result
        #expect(ids(posts) == [9, 1, 2, 3, 4, 5] && posts.items[2].title == "c")
        #expect(events.filter { $0 == .newData(.network) }.count == 2)
        posts.removeObservers(ownedBy: bench)
        #expect(events.first == .observerAdded)
    }

    @Test("A refresh that contains a new item twice shows it once")
    func duplicatesInRefresh() async {
        bench.store.refreshTriggers = [.every(.seconds(60), jitter: 0)]
        let posts = await twoPages()
        posts.addObserver(owner: bench) { _, _, _ in }
        bench.clock.advance(by: .seconds(61))
        await answer(3, [9, 9, 2], title: "b", next: 2)
        await until { !posts.isReloading }
        #expect(ids(posts) == [9, 1, 2, 3, 4])
        posts.removeObservers(ownedBy: bench)
    }

    @Test("A page that leads back to an earlier one is an error")
    func loop() async {
        let posts = posts()
        let first = posts.loadNextPage()
        await answer(1, 1...2, next: 2)
        _ = await first.result
        let second = posts.loadNextPage()
        await answer(2, 3...4, next: 2)
        _ = await second.result
        #expect(await posts.loadNextPage().result.reason == .invalidResponse)
        #expect(bench.requestCount == 2 && posts.latestError?.reason == .invalidResponse)
    }

    @Test("A write to the path loads an observed list's first page, and a wipe empties the list")
    func writes() async throws {
        let posts = await twoPages()
        posts.addObserver(owner: bench) { _, _, _ in }
        let write = bench.store.service.POST("/posts")
        await bench.answer(3, "{}", status: 201)
        _ = try await write.data
        #expect(posts.isReloading)
        await answer(4, [5, 1], next: 2)
        await until { !posts.isReloading }
        #expect(ids(posts) == [5, 1, 2, 3, 4])
        bench.store.wipe()
        #expect(posts.items.isEmpty && posts.hasMore && !posts.isLoadingNextPage)
    }

    @Test("Lists of a path share the first page, and a list that is released leaves nothing behind")
    func sharing() async {
        let posts = await twoPages()
        weak var weakList: PagedResource<Post>?
        do {
            let other = self.posts()
            weakList = other
            #expect(ids(other) == [1, 2] && other.firstPage === posts.firstPage)
        }
        #expect(weakList == nil)
    }

    @Test("Observation sees a page that arrives, and a load that begins")
    func observation() async {
        let posts = posts()
        let changes = Recorder<String>()
        withObservationTracking {
            _ = (posts.items, posts.hasMore)
        } onChange: {
            changes.append("items")
        }
        let first = posts.loadNextPage()
        await answer(1, 1...2, next: 2)
        _ = await first.result
        #expect(changes.values == ["items"])
        withObservationTracking {
            _ = posts.isLoadingNextPage
        } onChange: {
            changes.append("loading")
        }
        posts.loadNextPage()
        #expect(changes.values == ["items", "loading"])
    }

    @Test("Its items are read by a decoding, below an envelope, with the pagination's parameters")
    func decoding() async throws {
        let posts = bench.store.pages(
            "/posts", parameters: ["q": "a"],
            with: Decoding(Post.init, .required("id", .int), .required("t", .string)),
            size: 1, pagination: .offset(limit: 5), envelope: .at(list: "items"))
        for number in 1...2 {
            let load = posts.loadNextPage()
            await bench.answer(number, #"{"items": [{"id": \#(number), "t": "x"}]}"#)
            _ = try await load.value
        }
        #expect(posts.items == [Post(id: 1, title: "x"), Post(id: 2, title: "x")])
        let queries = bench.source.exchanges.values.map { $0.request.url?.query() }
        #expect(queries == ["q=a&offset=0&limit=1", "q=a&offset=1&limit=1"])
        let illegal = bench.store.pages("/posts", of: Post.self, size: 0)
        #expect(await illegal.loadNextPage().result.reason == .invalidRequest)
    }
}
