import Swallow
import SwallowResources
import SwallowTesting
import Testing

nonisolated struct User: Codable, Identifiable, Equatable, Sendable {
    let id: Int
    var name: String
}

struct Users: Readable, Creatable, Updatable, Deletable {
    typealias Entity = User
    let service: WebService
    let name: Request.Path = "users"
    let pagination: Pagination = .offset(limit: 1)

    func named(_ name: String) -> ServiceFuture<[User]> {
        readAll().map { users in users.filter { $0.name == name } }
    }
}

final class UserModel {
    private(set) var user: User?
    private(set) var all: [User] = []
    private(set) var message: String?
    private let users: Users

    init(users: Users) {
        self.users = users
    }

    @discardableResult
    func load(id: Int) -> StartedFuture {
        users.read(id: id).start { result in
            switch result {
            case .success(let user): self.user = user
            case .failure(let error): self.message = error.userMessage
            }
        }
    }

    func loadAll() async throws {
        for try await user in users.entities() { all.append(user) }
    }
}

@Suite("A repository in an app whose module defaults to the main actor")
struct UsersTests {
    private let stub = StubDataSource()
        .stub(.GET, "/users", query: ["offset": "0"], .json([["id": 1, "name": "Ada"]]))
        .stub(.GET, "/users", query: ["offset": "1"], .json([]))
        .stub(.GET, "/users/1", .json(["id": 1, "name": "Ada"]))
        .stub(.PUT, "/users/1", .status(204))

    private var users: Users {
        Users(service: WebService(baseURLString: "https://api.example.com", dataSource: stub))
    }

    @Test("fills a view model from a handler and from a loop")
    func model() async throws {
        let model = UserModel(users: users)
        await model.load(id: 1).finished()
        #expect(model.user?.name == "Ada")
        await model.load(id: 2).finished()
        #expect(model.message != nil)
        try await model.loadAll()
        #expect(model.all.map(\.id) == [1])
    }

    @Test("is awaited, on the main actor and off it")
    func awaits() async throws {
        let users = users
        #expect(try await users.named("Ada").value.count == 1)
        let updated = try await Task.detached { try await users.update(User(id: 1, name: "Bob")).value }.value
        #expect(updated.name == "Bob")
        let own = ServiceFuture { try await users.read(id: 1).value.name }
        #expect(try await own.map { $0 + "!" }.value == "Ada!")
    }
}
