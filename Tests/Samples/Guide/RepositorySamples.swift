import Observation
import Swallow
import SwallowResources
import SwallowTesting
import Testing

struct User: Codable, Identifiable, Equatable, Sendable {
    let id: Int
    var name: String
}

struct Users: Readable, Creatable, Updatable, Deletable {
    typealias Entity = User
    let service: WebService
    let name: Request.Path = "users"
}

struct Post: Codable, Equatable, Sendable {
    let title: String
}

extension User {
    func posts(in service: WebService) -> Posts {
        Posts(service: service, name: "users/\(id)/posts")
    }
}

struct Posts: Readable {
    typealias Entity = Post
    let service: WebService
    let name: Request.Path
    let envelope: Envelope = .at(list: "items")
    let pagination: Pagination = .body(next: "next", cursor: "after")
}

@MainActor @Observable
final class PostList {
    private(set) var items: [Post] = []
    private(set) var message = ""
    private var last: Page<Post>?
    private var isLoading = false
    private let posts: Posts

    init(_ posts: Posts) { self.posts = posts }

    func more() async {
        guard !isLoading, last?.hasMore != false else { return }
        isLoading = true
        defer { isLoading = false }
        do throws(ServiceError) {
            let next = last.map { posts.read(after: $0) } ?? posts.read(page: 1, size: 50)
            let page = try await next.value
            last = page
            items += page.items
            message = ""
        } catch {
            if !error.isCancelled { message = error.userMessage }
        }
    }
}

struct PagedUsers: Readable {
    typealias Entity = User
    let service: WebService
    let name: Request.Path = "users"
    let pagination: Pagination
}

extension Users {
    func followers(of id: Int) -> ServiceFuture<[User]> {
        service.future(as: [User].self) { $0.GET("\(name)/\(id)/followers") }
    }
}

struct Place: Equatable, Sendable {
    let name: String
    let latitude: Double
}

struct Places: Readable, Creatable {
    typealias Entity = Place
    let service: WebService
    let name: Request.Path = "places"
    let envelope: Envelope = .at("data")
    let decoding = Decoding(
        Place.init, .required("name", .string), .required(at: ["position", "lat"], .double))
    let encoding: Encoding<Place> = .custom { place in
        ["name": .string(place.name), "position": ["lat": .number(place.latitude)]]
    }
}

@Suite("The README's repositories")
struct RepositorySamples {
    private let stub = StubDataSource()
    private var service: WebService {
        WebService(baseURLString: "https://api.example.com", dataSource: stub)
    }
    private var users: Users { Users(service: service) }

    @MainActor
    private final class List {
        var user: User?
        var message = ""

        func load(_ users: Users) -> StartedFuture {
            let task = users.read(id: 7).start { result in
                switch result {
                case .success(let user): self.user = user
                case .failure(let error): self.message = error.userMessage
                }
            }
            return task
        }
    }

    @Test("read, create, update and delete")
    @MainActor
    func verbs() async throws {
        stub.stub(.GET, "/users", .json([["id": 7, "name": "Ada"]]))
        stub.stub(.GET, "/users/*", .json(["id": 7, "name": "Ada"]))
        stub.stub(.POST, "/users", .status(201))
        stub.stub(.PUT, "/users/7", .status(204)).stub(.DELETE, "/users/7", .status(204))
        let service = service
        let users = Users(service: service)
        let made = try await users.create(User(id: 7, name: "Ada")).value
        let user = try await users.read(id: 7).value
        let all = try await users.readAll().value
        let renamed = try await users.update(User(id: 7, name: "Ada Lovelace")).value
        try await users.delete(id: 7).value
        #expect(made == user && all == [user] && renamed.name == "Ada Lovelace")

        let list = List()
        await list.load(users).finished()
        #expect(list.user == user)
    }

    @Test("compose futures")
    func futures() async throws {
        stub.stub(.GET, "/users/7", .json(["id": 7, "name": "Ada"]))
        stub.stub(.GET, "/users/7/followers", .status(404))
        let users = users
        let names = users.read(id: 7)
            .andThen { user in users.followers(of: user.id) }
            .recover { error in
                guard error.isNotFound else { throw error }
                return []
            }
            .map { followers in followers.map(\.name) }
        #expect(try await names.value == [])
    }

    @Test(
        "ask for the first page as the guide's table says",
        arguments: [
            (Pagination.headers, "page=1&per_page=50", "page=1", nil), (.link, "per_page=50", nil, nil),
            (.body(next: "next"), "per_page=50", nil, nil),
            (.offset(limit: 20), "offset=0&limit=50", "offset=0&limit=20", "offset=0&limit=20"),
        ] as [(Pagination, String, String?, String?)])
    func firstPages(_ pagination: Pagination, sized: String, unsized: String?, whole: String?) async throws {
        stub.stub(.GET, "/users", .status(404))
        let users = PagedUsers(service: service, pagination: pagination)
        await #expect(throws: ServiceError.self) { for try await _ in users.entities(size: 50) {} }
        await #expect(throws: ServiceError.self) { for try await _ in users.entities() {} }
        await #expect(throws: ServiceError.self) { _ = try await users.readAll().value }
        #expect(stub.requests.map(\.url?.query) == [sized, unsized, whole])
    }

    @Test("follow pages")
    func pages() async throws {
        stub.stub(.GET, "/users/7/posts", .json(["items": [["title": "One"]], "next": "c1"]))
        stub.stub(
            .GET, "/users/7/posts", query: ["after": "c1"], .json(["items": [["title": "Two"]], "next": nil]))
        let posts = User(id: 7, name: "Ada").posts(in: service)
        var titles: [String] = []
        for try await post in posts.entities(size: 50) { titles.append(post.title) }

        let first = try await posts.read(page: 1, size: 50).value
        if first.hasMore { titles += try await posts.read(after: first).value.items.map(\.title) }
        #expect(titles == ["One", "Two", "Two"])
    }

    @Test("load more as a list is scrolled")
    @MainActor func scrolled() async {
        stub.stub(.GET, "/users/7/posts", .json(["items": [["title": "One"]], "next": "c1"]))
        stub.stub(
            .GET, "/users/7/posts", query: ["after": "c1"], .json(["items": [["title": "Two"]], "next": nil]))
        let list = PostList(User(id: 7, name: "Ada").posts(in: service))
        for _ in 0..<3 { await list.more() }
        #expect(list.items.map(\.title) == ["One", "Two"] && list.message.isEmpty)
        #expect(stub.requests.count == 2)
    }

    @Test("read and write in a form of their own")
    func places() async throws {
        stub.stub(.GET, "/places", .json(["data": [["name": "Home", "position": ["lat": 40.4]]]]))
        #expect(try await Places(service: service).readAll().value == [Place(name: "Home", latitude: 40.4)])
    }

    @Test func updateSendsTheWholeUser() async throws {
        stub.stub(.PUT, "/users/7", .status(204))

        _ = try await users.update(User(id: 7, name: "Ada")).value

        let body = try JSON(parsing: stub.requests[0].httpBody ?? .init())
        #expect(body == ["id": 7, "name": "Ada"])
    }

    @Test func readGivesTheUser() async throws {
        stub.stub(.GET, "/users/7", .json(["id": 7, "name": "Ada"]))

        #expect(try await users.read(id: 7).value == User(id: 7, name: "Ada"))
    }

    @Test func aMissingUserIsNotFound() async {
        stub.stub(.GET, "/users/7", .status(404))

        await #expect { try await users.read(id: 7).value } throws: { error in
            (error as? ServiceError)?.isNotFound == true
        }
    }
}
