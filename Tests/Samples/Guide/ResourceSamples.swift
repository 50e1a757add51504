import Foundation
import Swallow
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

struct Order: Codable, Equatable, Sendable {
    let item: String
}

@MainActor
final class Dashboard {
    let visitors, weather: Resource<JSON>
    let orders: Resource<[Order]>

    init(_ store: ResourceStore) {
        visitors = store.resource("/visitors", as: JSON.self)
        weather = store.resource("/weather", as: JSON.self)
        orders = store.resource("/orders", as: [Order].self)
    }

    func refresh() { for resource in [visitors, weather] { resource.loadIfNeeded() } }
    func order(_ item: String) { orders.request(.POST, parameters: ["item": item]) }
}

@Suite("The README's resources")
@MainActor
struct ResourceSamples {
    private final class Screen {
        var text = ""
    }

    private let stub = StubDataSource()
    private let screen = Screen()
    private var service: WebService {
        WebService(baseURLString: "https://api.example.com", dataSource: stub)
    }

    @Test("are observed, and reload after a write")
    func observed() async throws {
        stub.stub(.GET, "/orders", .sequence([.json([["item": "tea"]]), .json([["item": "cake"]])]))
        stub.stub(.POST, "/orders", .status(201))
        let dashboard = Dashboard(ResourceStore(service: service))
        dashboard.orders.addObserver(owner: screen) { screen, orders, _ in
            switch orders.state {
            case .empty, .loading(nil): screen.text = "…"
            case .loading(let list?), .loaded(let list): screen.text = "\(list.count) orders"
            case .failed(let error, _): screen.text = error.userMessage
            }
        }
        dashboard.orders.loadIfNeeded()
        #expect(screen.text == "…")
        #expect(try await dashboard.orders.loadIfNeeded().value == [Order(item: "tea")])
        #expect(screen.text == "1 orders")
        dashboard.order("cake")
        await until { dashboard.orders.latestContent == [Order(item: "cake")] }
        dashboard.refresh()
        #expect(dashboard.weather.isLoading)
    }

    @Test("reload after a write, which a test joins")
    func reload() async throws {
        stub.stub(.GET, "/orders", .sequence([.json([["item": "tea"]]), .json([["item": "cake"]])]))
        stub.stub(.POST, "/orders", .status(201))
        let orders = ResourceStore(service: service).resource("/orders", as: [Order].self)
        orders.addObserver(owner: screen) { screen, orders, _ in screen.text = "\(orders.latestContent ?? [])"
        }
        _ = try await orders.loadIfNeeded().value
        _ = try await orders.request(.POST, parameters: ["item": "cake"]).data
        #expect(try await orders.loadIfNeeded().value == [Order(item: "cake")])
        #expect(stub.count(.GET, "/orders") == 2)
    }

    @MainActor @Test func ordersStayUpToDateFor30Seconds() async throws {
        let stub = StubDataSource().stub(.GET, "/orders", .json([["item": "tea"]]))
        let clock = ManualClock()
        var service = WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
        service.clock = clock
        let orders = ResourceStore(service: service).resource("/orders", as: [Order].self)

        _ = try await orders.loadIfNeeded().value
        clock.advance(by: .seconds(30))
        #expect(orders.isUpToDate)
    }
}

// MARK: - The guide's article

@Suite("The guide's resources")
@MainActor
struct ResourceGuideSamples {
    private let stub = StubDataSource()
    private var resources: ResourceStore {
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        service.unhandledError = nil
        return ResourceStore(service: service)
    }

    private final class Label {
        var text = ""
    }

    @Test("make a screen")
    func screen() async throws {
        stub.stub(.GET, "/profile", .json(["name": "Ada"]))
        stub.stub(.PATCH, "/profile", .json(["name": "Ada Lovelace"]))
        let screen = ProfileScreen(resources)
        #expect(screen.title == "Nobody yet")
        screen.appear()
        _ = try await screen.profile.loadIfNeeded().value
        #expect(screen.title == "Ada" && screen.problem == nil)
        screen.rename("Ada Lovelace")
        _ = await screen.profile.loadIfNeeded().result
        #expect(screen.title == "Ada Lovelace")
        screen.disappear()
    }

    @Test("leave the load to a screen that is still shown")
    func twoScreens() async throws {
        stub.stub(.GET, "/profile", .json(["name": "Ada"]).delayed(.seconds(20)))
        let clock = ManualClock()
        let resources = resources
        resources.service.clock = clock
        let (first, second) = (ProfileScreen(resources), ProfileScreen(resources))
        first.appear()
        second.appear()
        first.disappear()
        clock.advance(by: .seconds(10))
        #expect(second.profile.isLoading)
        second.disappear()
        clock.advance(by: .seconds(10))
        #expect(!second.profile.isLoading)
    }

    @Test("give handles of loads")
    func handles() async throws {
        stub.stub(.GET, "/profile", .json(["name": "Ada"]))
        let profile = resources.resource("/profile", as: Profile.self)
        let load = profile.load()
        load.onEnd { result in print((try? result.get())?.name ?? "no profile") }
        let name = try await load.value.name
        #expect(name == "Ada")
    }

    @Test("are overridden by the app, and written")
    func ownData() async throws {
        stub.stub(.PUT, "/profile", .status(204))
        let profile = resources.resource("/profile", as: Profile.self)
        profile.override(content: Profile(name: "Ada Lovelace"))
        #expect(profile.isUpToDate)
        let task =
            profile.request(.PUT, parameters: ["name": "Ada Lovelace"])
        _ = try await task.data
        #expect(!profile.isUpToDate)
    }

    @Test("are observed in four ways")
    func observers() async {
        let label = Label()
        let profile = resources.resource("/profile", as: Profile.self)
        profile.addObserver(owner: label) { label, profile, event in
            label.text = profile.latestContent?.name ?? ""
        }
        profile.override(content: Profile(name: "Ada"))
        #expect(label.text == "Ada")
        profile.removeObservers(ownedBy: label)

        let watching = Task {
            for await event in profile.events {
                if case .newData = event { return profile.latestContent?.name }
            }
            return nil
        }
        while !watching.isCancelled, label.text == "Ada" {
            await Task.yield()
            profile.override(content: Profile(name: "Grace"))
            label.text = "Grace"
        }
        profile.override(content: Profile(name: "Grace"))
        // The loop may begin after a change and wait for the next one, so the changes are repeated.
        let changing = Task {
            while !Task.isCancelled {
                profile.override(content: Profile(name: "Grace"))
                await Task.yield()
            }
        }
        #expect(await watching.value == "Grace")
        changing.cancel()
    }

    @Test("are made of futures")
    func futures() async throws {
        stub.stub(.GET, "/users/7", .json(["id": 7, "name": "Ada"]))
        let service = resources.service
        let name = Resource(Users(service: service).read(id: 7).map(\.name))
        let read = try await name.load().value
        #expect(read == "Ada")
    }
}
