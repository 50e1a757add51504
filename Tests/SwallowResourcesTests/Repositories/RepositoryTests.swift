import Foundation
import Swallow
import SwallowResources
import TestSupport
import Testing

@Suite("A repository")
struct RepositoryTests {
    @Test("reads one model by its id, and all of them")
    func reads() async throws {
        let backend = Backend { request in
            .init(body: request.url?.path == "/users" ? "[\(Member.json)]" : Member.json)
        }
        let users = Members(service: backend.service)
        #expect(try await users.read(id: 7).value == .ada)
        #expect(try await users.readAll().value == [.ada])
        #expect(try await users.readAll(parameters: ["active": true]).value == [.ada])
        #expect(backend.sent == ["GET /users/7", "GET /users", "GET /users?active=1"])
    }

    @Test("creates one model or several, as JSON, and gives the server's answer")
    func creates() async throws {
        let backend = Backend { request in
            let isList = request.httpBody?.first == UInt8(ascii: "[")
            return .init(status: 201, body: isList ? "[\(Member.json)]" : Member.json)
        }
        let users = Members(service: backend.service)
        #expect(try await users.create(.bob).value == .ada)
        #expect(try await users.create([.bob, .bob]).value == [.ada])
        #expect(backend.sent == ["POST /users", "POST /users"])
        let bob = #"{"id":8,"name":"Bob"}"#
        #expect(backend.bodies == [bob, "[\(bob),\(bob)]"])
        let types = backend.source.exchanges.values.map {
            $0.request.value(forHTTPHeaderField: "Content-Type")
        }
        #expect(types == ["application/json", "application/json"])
    }

    @Test("updates one model at its id, or several, with PUT or PATCH")
    func updates() async throws {
        let backend = Backend { request in
            .init(body: request.httpBody?.first == UInt8(ascii: "[") ? "[\(Member.json)]" : Member.json)
        }
        let users = Members(service: backend.service)
        #expect(try await users.update(.bob).value == .ada)
        #expect(try await users.update(.bob, method: .PATCH).value == .ada)
        #expect(try await users.update([.bob]).value == [.ada])
        #expect(try await users.update([.bob], method: .PATCH).value == [.ada])
        #expect(backend.sent == ["PUT /users/8", "PATCH /users/8", "PUT /users", "PATCH /users"])
    }

    @Test("deletes one model by its id, whatever the answer's body")
    func deletes() async throws {
        let backend = Backend("gone for good", headers: ["Content-Type": "text/html"])
        try await Members(service: backend.service).delete(id: 7).value
        #expect(backend.sent == ["DELETE /users/7"])
    }

    @Test("gives what was sent where the server sends nothing back", arguments: [200, 201, 204])
    func emptyAnswers(status: Int) async throws {
        let users = Members(service: Backend("", status: status).service)
        #expect(try await users.create(.bob).value == .bob)
        #expect(try await users.create([.ada, .bob]).value == [.ada, .bob])
        #expect(try await users.update(.bob).value == .bob)
        #expect(try await users.update([.ada]).value == [.ada])
        #expect(await users.read(id: 7).failure?.reason == .emptyBody)
    }

    @Test("of a single model has no id in its paths")
    func singleModel() async throws {
        let backend = Backend(#"{"isDark": false}"#)
        let settings = SettingsRepository(service: backend.service)
        let light = Settings(isDark: false)
        #expect(try await settings.read().value == light)
        #expect(try await settings.create(Settings()).value == light)
        #expect(try await settings.update(Settings()).value == light)
        try await settings.delete().value
        let verbs = ["GET", "POST", "PUT", "DELETE"]
        #expect(backend.sent == verbs.map { "\($0) /settings" })
    }

    @Test("of a single model has no id in its paths although the model has one")
    func singleIdentifiableEntity() async throws {
        let backend = Backend(Member.json)
        let profile = Profile(service: backend.service)
        #expect(try await profile.read().value == .ada)
        #expect(try await profile.create(.bob).value == .ada)
        #expect(try await profile.update(.bob).value == .ada)
        try await profile.delete().value
        let verbs = ["GET", "POST", "PUT", "DELETE"]
        #expect(backend.sent == verbs.map { "\($0) /profile" })
    }

    @Test("sends nothing before a future is started")
    func cold() {
        let backend = Backend(Member.json)
        let users = Members(service: backend.service)
        _ = (users.read(id: 7), users.readAll(), users.create(.ada), users.update(.ada), users.delete(id: 7))
        _ = (users.pages(), users.models(), users.read(page: 1))
        #expect(backend.sent.isEmpty)
    }

    @Test("is nested by a name with an id in it")
    func nested() async throws {
        let backend = Backend("[]")
        let posts = Members(service: backend.service, name: "users/\(7)/posts/")
        _ = try await posts.readAll().value
        _ = await posts.read(id: 3).result
        #expect(backend.sent == ["GET /users/7/posts/", "GET /users/7/posts/3"])
    }

    @Test("keeps a name's query behind the id")
    func query() async {
        let backend = Backend(Member.json)
        let users = Members(service: backend.service, name: "users?tenant=a%2Fb")
        _ = await users.read(id: 7).result
        _ = await users.update(.bob).result
        _ = await Members(service: backend.service, name: "users?").read(id: 7).result
        #expect(
            backend.sent == ["GET /users/7?tenant=a%2Fb", "PUT /users/8?tenant=a%2Fb", "GET /users/7?"])
    }

    @Test("tells errors apart as the server does", arguments: [404, 410, 500, 503, 403])
    func errors(status: Int) async {
        let body = #"{"message": "No."}"#
        let users = Members(
            service: Backend(body, status: status, headers: ["Content-Type": "application/json"]).service)
        for error in [
            await users.read(id: 7).failure, await users.create(.ada).failure,
            await users.delete(id: 7).failure, await users.read(page: 1).failure,
        ] {
            #expect(error?.isNotFound == (status == 404 || status == 410))
            #expect(error?.isServerError == (status >= 500))
            #expect(error?.json["message"] == "No.")
        }
    }
}

@Suite("A model's id")
struct ModelIDTests {
    private enum Color: String, PathSegmentConvertible, Codable { case red = "r/d" }

    private struct Thing<ID: Hashable & Codable & Sendable>: Codable, Identifiable, Sendable {
        var id: ID
    }

    private struct Things<ID: Hashable & Codable & Sendable & PathSegmentConvertible>: Readable, Updatable,
        Deletable
    {
        typealias Model = Thing<ID>
        let service: WebService
        let name: Request.Path = "/things"
    }

    private func path<ID: Hashable & Codable & Sendable & PathSegmentConvertible>(of id: ID) async -> [String]
    {
        let backend = Backend("", status: 204)
        let things = Things<ID>(service: backend.service)
        _ = await things.delete(id: id).result
        _ = await things.update(Thing(id: id)).result
        _ = await things.read(id: id).result
        return Array(Set(backend.sent.map { String($0.drop { $0 != "/" }) }))
    }

    @Test("is one percent-encoded segment, whatever its type")
    func types() async throws {
        #expect(await path(of: "a b/../c?d=é#") == ["/things/a%20b%2F..%2Fc%3Fd%3D%C3%A9%23"])
        #expect(await path(of: -7) == ["/things/-7"])
        #expect(await path(of: UInt64.max) == ["/things/18446744073709551615"])
        #expect(await path(of: Color.red) == ["/things/r%2Fd"])
        let uuid = UUID()
        #expect(await path(of: uuid) == ["/things/\(uuid.uuidString)"])
    }

    @Test("that is empty, . or .. is an error, and nothing is sent", arguments: ["", ".", ".."])
    func illegal(id: String) async {
        let backend = Backend("", status: 204)
        let things = Things<String>(service: backend.service)
        #expect(await things.read(id: id).failure?.reason == .invalidURL)
        #expect(await things.update(Thing(id: id)).failure?.reason == .invalidURL)
        #expect(await things.delete(id: id).failure?.reason == .invalidURL)
        #expect(backend.sent.isEmpty)
    }

    // MARK: - Updates

    private struct AnyThings<ID: Hashable & Codable & Sendable>: Readable, Updatable, Deletable {
        typealias Model = Thing<ID>
        let service: WebService
        let name: Request.Path = "/things"
    }

    private struct OnlyThing: SingleModelRepository, Updatable {
        typealias Model = Thing<Int?>
        let service: WebService
        let name: Request.Path = "/thing"
    }

    private struct Code: Hashable, Codable { var number = 7 }

    /// Updates a model in generic code, which doesn't know the model's type.
    private func update<Things: Updatable>(_ things: Things, _ model: Things.Model) async -> ServiceError? {
        await things.update(model).failure
    }

    @Test("that is optional is unwrapped for an update, in generic code, too")
    func optional() async {
        let backend = Backend("", status: 204)
        _ = await AnyThings<Int?>(service: backend.service).update(Thing(id: 7)).result
        _ = await AnyThings<String??>(service: backend.service).update(Thing(id: "a/b"), method: .PATCH)
            .result
        _ = await update(AnyThings<Int?>(service: backend.service), Thing(id: 8))
        _ = await update(AnyThings<Int>(service: backend.service), Thing(id: 9))
        #expect(
            backend.sent == ["PUT /things/7", "PATCH /things/a%2Fb", "PUT /things/8", "PUT /things/9"])
    }

    @Test("that is optional is read and deleted by its value")
    func unwrapped() async {
        let backend = Backend("", status: 204)
        let things = AnyThings<Int?>(service: backend.service)
        _ = await things.read(id: 7).result
        _ = await things.delete(id: 7).result
        _ = await AnyThings<String?>(service: backend.service).read(id: "a/b").result
        #expect(backend.sent == ["GET /things/7", "DELETE /things/7", "GET /things/a%2Fb"])
    }

    @Test("that is nil, or no path segment, fails an update, and nothing is sent")
    func missing() async {
        let backend = Backend("", status: 204)
        let error = await AnyThings<Int?>(service: backend.service).update(Thing(id: nil)).failure
        #expect(error?.reason == .invalidRequest)
        #expect(error?.description.contains("must be a path segment, but it is nil") == true)
        let failure = await update(AnyThings<Code>(service: backend.service), Thing(id: Code()))
        #expect(failure?.reason == .invalidRequest)
        #expect(backend.sent.isEmpty)
    }

    @Test("doesn't matter for the only model of a repository", arguments: [7, nil])
    func only(id: Int?) async {
        let backend = Backend("", status: 204)
        _ = await OnlyThing(service: backend.service).update(Thing(id: id)).result
        #expect(await update(OnlyThing(service: backend.service), Thing(id: id)) == nil)
        #expect(backend.sent == ["PUT /thing", "PUT /thing"])
    }
}
