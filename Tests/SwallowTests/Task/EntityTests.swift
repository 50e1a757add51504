import Foundation
import SwallowTesting
import TestSupport
import Testing

import Swallow

@Suite("Values with their headers, and the end without a value")
struct EntityTests {
    private let stub = StubDataSource()
    private var service: WebService { .test(stub) }

    private struct Store: Codable, Equatable, Sendable { var id: Int }

    @Test("An entity has the value, and what the server said about it")
    func decoded() async throws {
        stub.stub(.GET, "/stores", .json([["id": 41]], headers: ["ETag": "\"a\""]))
        let task = service.GET("/stores")
        let stores = try await task.entity(as: [Store].self)
        #expect(stores.content == [Store(id: 41)])
        #expect(stores.headers[.eTag] == "\"a\"" && stores.statusCode == 200)
        let json: Entity<JSON> = try await task.entity()
        #expect(json.content[0]["id"].int == 41)
        #expect(try await task.entity(as: Data.self).content == task.data)
    }

    @Test("The pipeline's content comes first, with the headers that it left")
    func models() async throws {
        stub.stub(.GET, "/", .json(["id": 1]))
        var service = service
        service.configureTransformer { (entity: Entity<JSON>) in Store(id: entity.json["id"].int ?? 0) }
        let entity = try await service.GET("/").entity(as: Store.self)
        #expect(entity.content == Store(id: 1))
        #expect(entity.contentType == "application/json")
    }

    @Test("What doesn't fit says so")
    func mismatches() async throws {
        stub.stub(.GET, "/json", .json(["id": "x"]))
        stub.stub(.GET, "/text", .data(Data("a".utf8), headers: ["Content-Type": "text/plain"]))
        let undecodable = await #expect(throws: ServiceError.self) {
            try await service.GET("/json").entity(as: Store.self)
        }
        #expect(undecodable?.reason == .undecodable)
        let mismatch = await #expect(throws: ServiceError.self) {
            try await service.GET("/text").entity(as: Store.self)
        }
        #expect(mismatch?.reason == .contentMismatch(expected: "Store", actual: "String"))
    }

    @Test("The end can be awaited without a value, parses nothing, and throws why it is none")
    func finished() async throws {
        stub.stub(.DELETE, "/a", .status(204))
        stub.stub(.GET, "/broken", .data(Data("{".utf8), headers: ["Content-Type": "application/json"]))
        stub.stub(.DELETE, "/b", .status(404))
        var service = service
        service.startTasksImmediately = false
        try await service.DELETE("/a").finished()
        try await service.GET("/broken").finished()
        let error = await #expect(throws: ServiceError.self) { try await service.DELETE("/b").finished() }
        #expect(error?.isNotFound == true)
        let order = Recorder<String>()
        let task = service.DELETE("/a").response(.utility) { _, _ in order.append("handler") }
        try await task.finished()
        order.append("finished")
        #expect(order.values == ["handler", "finished"])
        #expect(task.state == .completed)
    }
}
