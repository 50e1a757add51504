import Foundation
import SwallowTesting
import TestSupport
import Testing

import Swallow

@Suite("Values with their headers, and completion without a value")
struct EntityTests {
    private let stub = StubDataSource()
    private var service: WebService { .test(stub) }

    private struct Store: Codable, Equatable, Sendable { var id: Int }

    @Test("An entity has the decoded value, the headers and the status")
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

    @Test("An entity of the pipeline's content type has the pipeline's content and headers")
    func models() async throws {
        stub.stub(.GET, "/", .json(["id": 1]))
        var service = service
        service.configureTransformer { (entity: Entity<JSON>) in Store(id: entity.json["id"].int ?? 0) }
        let entity = try await service.GET("/").entity(as: Store.self)
        #expect(entity.content == Store(id: 1))
        #expect(entity.contentType == "application/json")
    }

    @Test("An entity of the wrong type fails with .undecodable or .contentMismatch")
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

    @Test("finished() waits for the handlers, parses nothing, and throws the task's failure")
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
