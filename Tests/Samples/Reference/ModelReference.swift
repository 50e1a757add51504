import DecodePipeline
import Foundation
import Swallow
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

struct Athlete: Equatable, Sendable {
    let name: String
    let image: String?
    let score: Int
}

extension Decoding where Value == Athlete {
    static var athlete: Self {
        Decoding(
            Athlete.init,
            .required("name", .string),
            .optional("image", .string),
            .optional("score", .int, default: 0))
    }
}

struct User: Codable, Identifiable, Sendable {
    let id: Int
    var name: String
}

struct Users: Readable, Creatable, Updatable, Deletable {
    typealias Entity = User
    let service: WebService
    let name: Request.Path = "users"
}

extension User {
    init(_ json: JSON) throws { self = try json.decode() }
    var isActive: Bool { id > 7 }
}

struct Post: Codable, Sendable {
    let title: String
}

struct Posts: Readable {
    typealias Entity = Post
    let service: WebService
    let name: Request.Path
}

extension User {
    func posts(in service: WebService) -> Posts { Posts(service: service, name: "users/\(id)/posts") }
}

extension WebService {
    func posts(userID: Int) -> ServiceFuture<[Post]> { Client(service: self).posts(userID: userID) }
}

private struct Client {
    let service: WebService

    func posts(userID: Int) -> ServiceFuture<[Post]> {
        service.future(as: [Post].self) { $0.GET("/users/\(userID)/posts") }
    }
}

private enum Shape: Equatable, Sendable { case circle(Double), square(Double) }

extension Decoding where Value == Shape {
    fileprivate static var circle: Self { Decoding<Double>.field("radius", .double).map { .circle($0) } }
    fileprivate static var square: Self { Decoding<Double>.field("side", .double).map { .square($0) } }
}

@Suite("The reference's JSON and decodings")
struct DecodingReference {
    @Test("read JSON")
    func json() throws {
        let data = Data(#"{"stores": [{"name": "Greenfield"}]}"#.utf8)
        let json = try JSON(parsing: data)
        let name = json["stores"][0]["name"].string ?? "unknown"
        #expect(name == "Greenfield")
    }

    @Test("make values")
    func decodings() throws {
        let data = Data(#"{"name": "Ann"}"#.utf8)
        let list = Data(#"[{"name": "Ann"}]"#.utf8)
        let athlete = try Decoding.athlete.value(from: data)
        let athletes = try Decoding.array(.athlete).value(from: list)
        #expect(athletes == [athlete])
        let decoding: Decoding<User> = .codable { $0.dateDecodingStrategy = .iso8601 }
        #expect(try decoding.value(from: #"{"id": 7, "name": "Ada"}"#).id == 7)
        let shape: Decoding<Shape> = Decoding<String>.field("kind", .string)
            .andThen { kind in kind == "circle" ? .circle : .square }
        #expect(try shape.value(from: #"{"kind": "circle", "radius": 2}"#) == .circle(2))
    }

    @Test("read in pipes")
    func pipes() throws {
        struct User {
            let name: String
            let image: String?
            let score: Int
            let sports: [String]
            let city, role: String
        }
        let user: Decoding<User> =
            decode(User.init)
            |> required("name", string)
            |> optional("image", string)
            |> optional("score", int, 0)
            |> required("sports", string |> array)
            |> required(at: ["address", "city"], string)
            |> hardcoded("athlete")
        let json: JSON = ["name": "Ann", "sports": ["judo"], "address": ["city": "Rome"]]
        #expect(try user.value(from: json).role == "athlete")
    }

    @Test("write values")
    func encodings() throws {
        #expect(try plainEncoding().data(of: User(id: 7, name: "Ada")).count > 10)
        #expect(
            try ownEncoding().data(of: User(id: 7, name: "Ada")) == Data(#"{"user":{"name":"Ada"}}"#.utf8))
    }

    private func plainEncoding() -> Encoding<User> {
        let encoding: Encoding<User> = .codable { $0.dateEncodingStrategy = .iso8601 }
        return encoding
    }

    private func ownEncoding() -> Encoding<User> {
        let encoding: Encoding<User> = .custom { user in ["user": ["name": .string(user.name)]] }
        return encoding
    }
}

@Suite("The reference's envelopes and pages")
struct PageReference {
    private struct FirstEnvelope {
        let envelope: Envelope = .at("data")  // {"data": {…}} and {"data": […]}
    }

    private struct SecondEnvelope {
        let envelope: Envelope = .at(list: "items")  // {…} and {"items": […], "next": …}

        struct Third {
            let envelope: Envelope = .at(single: "user", list: "users")
        }
    }

    private struct LinkPages: Readable {
        typealias Entity = User
        let service: WebService
        let name: Request.Path = "users"
        let pagination: Pagination = .link
    }

    private struct CursorPages: Readable {
        typealias Entity = User
        let service: WebService
        let name: Request.Path = "users"
        let envelope = SecondEnvelope().envelope
        let pagination: Pagination = .body(next: ["paging", "next"], cursor: "after")
    }

    private struct OwnPages: Readable {
        typealias Entity = User
        let service: WebService
        let name: Request.Path = "users"
        let envelope = SecondEnvelope.Third().envelope
        let pagination: Pagination = .custom { position in
            if case .number(let number) = position { ["p": number - 1] } else { ["p": 0] }
        } next: { page in
            page.json["isLast"].bool == false ? .number((page.json["p"].int ?? 0) + 2) : nil
        }
    }

    @Test("say where entities and pages are")
    func pages() async throws {
        let stub = StubDataSource()
        let service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        let ada: JSON = ["id": 7, "name": "Ada"]
        stub.stub(.GET, "/users", .json(["users": [ada], "p": 0, "isLast": true]))
        #expect(try await OwnPages(service: service).readAll().value.count == 1)
        stub.stub(.GET, "/users", .json(["items": [ada], "paging": [:]]))
        #expect(try await CursorPages(service: service).readAll().value.count == 1)
        stub.stub(.GET, "/users", .json([ada]))
        #expect(try await LinkPages(service: service).readAll().value.count == 1)
        #expect("\(FirstEnvelope())".contains("data"))
    }
}

@MainActor
@Suite("The reference's repositories and resources")
final class RepositoryReference {
    private let stub = StubDataSource()
    private var shown: [String] = []
    private var service: WebService {
        WebService(baseURLString: "https://api.example.com", dataSource: stub)
    }

    private func show(_ users: [User]) { shown += users.map(\.name) }
    private func show(_ stores: [Store]) { shown += stores.map(\.name) }
    private func show(_ data: Data, as type: String?) { shown.append(type ?? "") }
    private func show(_ result: Result<User, ServiceError>) { shown.append("result") }

    @Test("read")
    func reading() async throws {
        stub.stub(.GET, "/users/7", .json(["id": 7, "name": "Ada"]))
        stub.stub(
            .GET, "/users",
            .json(
                [["id": 8, "name": "Grace"]], headers: ["X-Total": "1", "X-Per-Page": "50", "X-Page": "1"]))
        stub.stub(.GET, "/users/7/posts", .json([["title": "One"]]))
        stub.stub(.GET, "/logo", .data(Data("x".utf8), contentType: "image/png"))
        let service = service
        let users = Users(service: service)
        try await readOne(service)
        let user = try await users.read(id: 7).value
        let outcome = await users.read(id: 7).result
        users.read(id: 7).start { result in self.show(result) }
        #expect(try outcome.get().id == user.id)
        #expect(try await user.posts(in: service).readAll().value.count == 1)
        #expect(try await service.posts(userID: 7).value.count == 1)

        let invited = Recorder<String>()
        func invite(_ user: User) { invited.append(user.name) }
        for try await page in users.pages(size: 50) { show(page.items) }
        for try await user in users.entities() where user.isActive { invite(user) }
        #expect(invited.values == ["Grace"])

        let logo = try await service.future(as: Entity<Data>.self) { $0.GET("/logo") }.value
        show(logo.content, as: logo.contentType)
        #expect(shown.contains("Grace") && shown.last == "image/png")
    }

    private func readOne(_ service: WebService) async throws {
        let user = try await Users(service: service).read(id: 7).value
        #expect(user.name == "Ada")
    }

    @Test("are observed")
    func resources() async throws {
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        let all = ResourceStore(service: service)
        try await observe(all)
        let resources = ResourceStore(service: service)
        let stores = resources.resource("/stores", parameters: ["zip": "15217"], as: [Store].self)
        let watching = Task {
            for await _ in stores.events { show(stores.latestContent ?? []) }
        }
        _ = try await stores.load().value
        await until {
            stores.override(content: stores.latestContent ?? [])
            return shown.count >= 3
        }
        watching.cancel()
    }

    private func observe(_ resources: ResourceStore) async throws {
        let stores = resources.resource("/stores", as: [Store].self)
        stores.addObserver(owner: self) { screen, stores, _ in screen.show(stores.latestContent ?? []) }
        stores.loadIfNeeded()
        _ = try await stores.loadIfNeeded().value
        #expect(shown == ["Squirrel Hill"])
        shown = ["", ""]
    }
}
