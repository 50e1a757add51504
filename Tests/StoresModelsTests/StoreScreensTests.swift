import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@testable import StoresModels

/// The states of the example's screens, over stubs and a clock that the test moves.
@Suite("The screens of the stores")
@MainActor
struct StoreScreensTests {
    private let stub = StubDataSource()
    private let clock = ManualClock()

    private var service: WebService {
        var service = WebService(baseURLString: "https://stores.test", dataSource: stub)
        service.clock = clock
        return service.forStores(cache: MemoryCache())
    }

    private static let hill = Store(id: 41, name: "Squirrel Hill", city: "Pittsburgh", isFavorite: false)

    private func session() -> Session {
        Session(service: service, name: "ada", Grant(token: "first", refresh: "r1", seconds: 3600))
    }

    // MARK: - The list

    @Test("Somebody who types is answered once, a moment after the last letter")
    func debounced() async {
        stub.stub(.GET, "/stores", .json([Self.hill]))
        let list = StoreSearch(service: service)
        for text in ["s", "sq", "squ"] {
            list.text = text
            clock.advance(by: .milliseconds(299))
        }
        #expect(stub.requests.isEmpty && !list.isSearching)
        clock.advance(by: .milliseconds(1))
        await until { list.isSearching || !list.stores.isEmpty }
        await until { !list.isSearching }
        #expect(list.stores == [Self.hill] && list.message == nil && list.offlineSince == nil)
        #expect(stub.requests.count == 1 && stub.request(0).query("search") == "squ")
    }

    @Test("A later search takes an earlier one's place, whichever answer comes first")
    func latest() async throws {
        let gate = Gate()
        stub.stub(.GET, "/stores", query: ["search": "old"], .json([Self.hill]).held(by: gate))
        stub.stub(.GET, "/stores", query: ["search": "new"], .json([Store]()))
        let list = StoreSearch(service: service)
        list.text = "old"
        list.search()
        try await gate.arrivals()
        list.text = "new"
        await list.refresh()
        await until { !list.isSearching }
        gate.open()
        for _ in 0..<100 { await Task.yield() }
        #expect(list.stores.isEmpty && list.message == nil)
    }

    @Test("A failure says why, keeps what was there, and can be tried again")
    func failure() async {
        stub.stub(
            .GET, "/stores", .sequence([.json([Self.hill]), .status(404), .json([Store]())]))
        let list = StoreSearch(service: service)
        await list.refresh()
        await until { !list.isSearching }
        await list.refresh()
        await until { list.message != nil }
        #expect(list.stores == [Self.hill] && !list.isSearching)
        await list.refresh()
        await until { list.message == nil && list.stores.isEmpty }
    }

    @Test("Offline the list shows what was found before, and says since when")
    func offline() async {
        stub.stub(
            .GET, "/stores", .sequence([.json([Self.hill]), .failure(URLError(.notConnectedToInternet))]))
        let service = service.configured { $0.retry = .never }
        let list = StoreSearch(service: service)
        let start = clock.now
        await list.refresh()
        await until { list.stores == [Self.hill] && !list.isSearching }
        clock.advance(by: .seconds(60))
        await list.refresh()
        await until { list.offlineSince != nil }
        #expect(list.offlineSince == start && list.stores == [Self.hill] && list.message == nil)
    }

    // MARK: - One store

    /// Stubs of one store, and a screen for it.
    private func detail(_ answers: [StubResponse], in session: Session? = nil) -> StoreDetail {
        stub.stub(.GET, "/stores/41", .sequence(answers))
        stub.stub(.GET, "/stores/41/image", .data(Data([1, 2]), contentType: "image/png"))
        stub.stub(
            .GET, "/stores/41/reviews",
            .json(
                [Review(id: 1, text: "Good.")], headers: ["Link": #"</stores/41/reviews?page=2>; rel="next""#]
            ))
        stub.stub(.GET, "/stores/41/reviews", query: ["page": "2"], .json([Review(id: 2, text: "Bad.")]))
        return StoreDetail(id: 41, in: session ?? self.session())
    }

    @Test("A store is shown with its picture and its reviews")
    func detail() async {
        let detail = detail([.json(Self.hill)])
        await detail.appear()
        await until { detail.store.latestContent != nil && !detail.reviews.items.isEmpty }
        #expect(detail.store.latestContent == Self.hill && detail.image == Data([1, 2]))
        detail.reviews.loadNextPage()
        await until { !detail.reviews.hasMore }
        #expect(detail.reviews.items.map(\.id) == [1, 2])
    }

    @Test("A favorite is shown at once, and isn't if the server doesn't accept it", arguments: [204, 403])
    func favorite(status: Int) async throws {
        let gate = Gate()
        stub.stub(.PUT, "/favorites/41", .status(status).held(by: gate))
        var favorite = Self.hill
        favorite.isFavorite = true
        let detail = detail([.json(Self.hill), .json(favorite)])
        await detail.appear()
        await until { detail.store.latestContent != nil }
        detail.toggleFavorite()
        #expect(detail.store.latestContent?.isFavorite == true)
        try await gate.arrivals()
        #expect(detail.favorite.state.isPending)
        gate.open()
        await until { !detail.favorite.state.isPending }
        #expect(detail.store.latestContent?.isFavorite == (status == 204))
        #expect(detail.favorite.state.error?.statusCode == (status == 204 ? nil : 403))
    }

    @Test("A favorite that wasn't accepted can be tried again")
    func favoriteAgain() async {
        stub.stub(.PUT, "/favorites/41", .sequence([.status(403), .status(204)]))
        let detail = detail([.json(Self.hill)])
        await detail.appear()
        await until { detail.store.latestContent != nil }
        detail.disappear()
        detail.toggleFavorite()
        await until { detail.favorite.state.error != nil }
        detail.favorite.retry()
        await until { !detail.favorite.state.isPending }
        #expect(detail.store.latestContent?.isFavorite == true)
    }

    @Test("A shown store is loaded again in the foreground and at times, and a hidden one isn't")
    func refresh() async {
        let session = session()
        let detail = detail([.json(Self.hill)], in: session)
        await detail.appear()
        await until { detail.store.latestContent != nil && !detail.reviews.isReloading }
        clock.advance(by: .seconds(40))
        session.resources.appDidReturnToForeground()
        await until { stub.count(.GET, "/stores/41") == 2 && !detail.store.isLoading }
        clock.advance(by: .seconds(70))
        await until { stub.count(.GET, "/stores/41") == 3 && !detail.store.isLoading }
        detail.disappear()
        clock.advance(by: .seconds(120))
        #expect(!detail.store.isLoading && stub.count(.GET, "/stores/41") == 3)
    }

    @Test("A store that can't be loaded has an error, and can be loaded again")
    func detailFailure() async {
        let detail = detail([.status(404), .json(Self.hill)])
        await detail.appear()
        await until { detail.store.latestError != nil }
        detail.store.load()
        await until { detail.store.latestContent != nil }
        #expect(detail.store.latestError == nil)
    }

    // MARK: - Signing in

    @Test("Who gives name and password gets a session; who doesn't fit gets words")
    func signIn() async {
        stub.stub(
            .POST, "/token",
            .sequence([.status(401), .json(["token": "t", "refresh": "r", "seconds": 60])]))
        let screen = SignIn(service: service)
        #expect(!screen.canSignIn)
        (screen.name, screen.password) = ("ada", "wrong")
        await screen.signIn()
        #expect(screen.session == nil && screen.message == "Name and password don't fit.")
        screen.password = "right"
        await screen.signIn()
        #expect(screen.session != nil && screen.message == nil)
        #expect(screen.password.isEmpty && !screen.isSigningIn)
        screen.signOut()
        #expect(screen.session == nil)
    }

    @Test("A token that is refused is renewed, and the request sent again")
    func tokenRefresh() async throws {
        stub.stub(.GET, "/stores", .sequence([.status(401), .json([Self.hill])]))
        stub.stub(.POST, "/token", .json(["token": "second", "refresh": "r2", "seconds": 3600]))
        let session = session()
        let list = StoreSearch(service: session.service)
        await list.refresh()
        await until { list.stores == [Self.hill] }
        #expect(
            stub.requests.map { $0.value(forHTTPHeaderField: "Authorization") } == [
                "Bearer first", nil, "Bearer second",
            ])
        #expect(stub.request(1).text.contains("r1"))
    }

    // MARK: - The catalog

    @Test("A download shows how far it is, breaks off in words, and goes on")
    func download() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stores-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        stub.stub(.GET, "/catalog", .sequence([.status(404), .data(Data(count: 1000))]))
        let download = CatalogDownload(service: service, to: folder.appending(path: "catalog"))
        #expect(download.state == .idle)
        download.start()
        #expect(download.state == .loading(nil))
        await until { if case .failed = download.state { true } else { false } }
        download.start()
        await until { if case .done = download.state { true } else { false } }
        #expect(try Data(contentsOf: folder.appending(path: "catalog")).count == 1000)
    }

    @Test("A download that is cancelled can begin anew")
    func cancelledDownload() async throws {
        let gate = Gate()
        stub.stub(.GET, "/catalog", .data(Data(count: 10)).held(by: gate))
        let file = FileManager.default.temporaryDirectory.appending(path: "stores-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let download = CatalogDownload(service: service, to: file)
        download.start()
        try await gate.arrivals()
        download.cancel()
        await until { download.state == .idle }
        download.start()
        gate.open()
        await until { download.state == .done(file) }
        #expect(try Data(contentsOf: file).count == 10)
        try FileManager.default.removeItem(at: file)
    }
}
