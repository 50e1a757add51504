import Foundation
import Swallow
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

@Suite("The guide's live resources")
@MainActor
struct LiveResourceSamples {
    private final class Label {
        var text = ""
    }

    private let stub = StubDataSource()
    private let label = Label()
    private var service: WebService {
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        service.unhandledError = nil
        return service
    }

    @Test("are loaded at triggers")
    func triggers() async throws {
        stub.stub(.GET, "/profile", .json(["name": "Ada"]))
        let resources = ResourceStore(service: service)
        resources.refreshTriggers = [.every(.seconds(30)), .foreground, .reconnect]

        let profile = resources.resource("/profile", as: Profile.self)
        profile.addObserver(owner: label) { label, profile, _ in
            label.text = profile.latestContent?.name ?? ""
        }
        profile.loadIfNeeded()

        profile.refreshTriggers = [.every(.seconds(5)), .foreground]
        await until { label.text == "Ada" }
        profile.removeObservers(ownedBy: label)
    }

    @Test("show a change at once, and undo it after a failure", arguments: [200, 500])
    func changes(status: Int) async throws {
        stub.stub(.PATCH, "/profile", .json(["name": "Ada, Countess of Lovelace"], status: status))
        let profile = ResourceStore(service: service).resource("/profile", as: Profile.self)
        profile.override(content: Profile(name: "Ada"))
        profile.change({ $0.name = "Ada Lovelace" }) { profile in
            profile.request(.PATCH, parameters: ["name": "Ada Lovelace"])
        }
        #expect(profile.latestContent?.name == "Ada Lovelace" && profile.pendingChanges.count == 1)
        await until { profile.pendingChanges.isEmpty }
        #expect(profile.latestContent?.name == (status == 200 ? "Ada, Countess of Lovelace" : "Ada"))
    }

    @Test("drive a button")
    func editor() async throws {
        stub.stub(.PATCH, "/profile", .sequence([.status(500), .json(["name": "Grace"])]))
        stub.stub(.POST, "/orders", .status(201))
        let resources = ResourceStore(service: service)
        let editor = ProfileEditor(resources.resource("/profile", as: Profile.self))
        editor.profile.override(content: Profile(name: "Ada"))
        editor.rename("Grace")
        await #expect(throws: ServiceError.self) { try await editor.renaming.finished() }
        editor.renaming.retry()
        try await editor.renaming.finished()
        #expect(editor.profile.latestContent?.name == "Grace")

        let ordering = Mutation()
        ordering.run { resources.service.POST("/orders", parameters: ["item": "cake"]) }
        try await ordering.finished()
    }

    @MainActor @Test func ordersAreRefreshed() async throws {
        let stub = StubDataSource().stub(.GET, "/orders", .json([["item": "tea"]]))
        let clock = ManualClock()
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        service.clock = clock
        let resources = ResourceStore(service: service)
        resources.refreshTriggers = [.every(.seconds(30), jitter: 0), .foreground]
        let orders = resources.resource("/orders", as: [Order].self)
        orders.addObserver(owner: label) { _, _, _ in }
        _ = try await orders.loadIfNeeded().value

        clock.advance(by: .seconds(30))
        #expect(orders.isLoading)
    }

    @MainActor @Test func aFailedRenameIsUndone() async throws {
        let stub = StubDataSource().stub(
            .PATCH, "/profile", .sequence([.status(500), .json(["name": "Grace"])]))
        let service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        let editor = ProfileEditor(ResourceStore(service: service).resource("/profile", as: Profile.self))
        editor.profile.override(content: Profile(name: "Ada"))

        editor.rename("Grace")
        #expect(editor.profile.latestContent?.name == "Grace")
        await #expect(throws: ServiceError.self) { try await editor.renaming.finished() }
        #expect(editor.profile.latestContent?.name == "Ada")

        editor.renaming.retry()
        try await editor.renaming.finished()
        #expect(editor.profile.latestContent?.name == "Grace")
    }

    @Test("grow page by page")
    func pages() async throws {
        stub.stub(
            .GET, "/comments",
            .json([["id": 1, "text": "One"]], headers: ["Link": #"</comments?page=2>; rel="next""#]))
        stub.stub(.GET, "/comments", query: ["page": "2"], .json([["id": 2, "text": "Two"]]))
        let resources = ResourceStore(service: service)
        let comments = resources.pages("/comments", of: Comment.self, size: 50, pagination: .link)
        _ = try await comments.loadNextPage().value
        _ = try await comments.loadNextPage().value
        #expect(comments.items.map(\.text) == ["One", "Two"] && !comments.hasMore)
        _ = try await comments.reload().value
        #expect(comments.items.map(\.text) == ["One"])
        stub.stub(.GET, "/comments", .sequence([.status(500), .json([["id": 3, "text": "Three"]])]))
        _ = await comments.reload().result
        _ = try await comments.retry()?.value
        #expect(comments.items.map(\.text) == ["Three"])
    }
}
