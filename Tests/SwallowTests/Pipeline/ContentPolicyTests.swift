import Foundation
import Swallow
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Content as a type, by everything that asks for one")
@MainActor
struct ContentPolicyTests {
    struct Model: Codable, Sendable {
        var number = 7
    }

    /// The expected results for a type: the value, or the reason of the failure.
    struct Row: Sendable, CustomTestStringConvertible {
        let path: String
        let type: any (Decodable & Sendable).Type
        /// The result of `responseContent` and `content(as:)`.
        let content: String
        /// The result of `transform` and `entity(as:)`.
        let contentOrBody: String
        /// The result of `responseDecoded` and `decoded(as:)`.
        let body: String
        let future: String
        let resource: String

        init(
            _ path: String, _ type: any (Decodable & Sendable).Type, _ content: String,
            _ contentOrBody: String,
            _ body: String, _ future: String, _ resource: String
        ) {
            (self.path, self.type) = (path, type)
            (self.content, self.contentOrBody) = (content, contentOrBody)
            (self.body, self.future, self.resource) = (body, future, resource)
        }

        var testDescription: String { "\(path) as \(type)" }
    }

    nonisolated static let rows = [
        Row("/json", [Int].self, "no JSON", "[1]", "[1]", "[1]", "[1]"),
        Row("/json", JSON.self, "[1]", "[1]", "[1]", "[1]", "[1]"),
        Row("/json", Data.self, "no JSON", "the bytes [1]", "undecodable", "the bytes [1]", "the bytes [1]"),
        Row("/json", String.self, "no JSON", "undecodable", "undecodable", "undecodable", "undecodable"),
        Row("/text", String.self, #""1""#, #""1""#, "1", "1", #""1""#),
        Row("/text", JSON.self, "no String", "no String", #""1""#, #""1""#, #""1""#),
        Row(
            "/text", Data.self, "no String", #"the bytes "1""#, "undecodable", #"the bytes "1""#,
            #"the bytes "1""#),
        Row("/untyped", [Int].self, "no Data", "[1]", "[1]", "[1]", "[1]"),
        Row(
            "/untyped", Data.self, "the bytes [1]", "the bytes [1]", "undecodable", "the bytes [1]",
            "the bytes [1]"),
        Row("/empty", Int?.self, "no Data", "nil", "nil", "nil", "nil"),
        Row("/empty", [Int].self, "no Data", "emptyBody", "emptyBody", "emptyBody", "emptyBody"),
        Row("/broken", [Int].self, "unparsable", "unparsable", "unparsable", "unparsable", "unparsable"),
        Row("/model", Model.self, "model 7", "model 7", "model 7", "model 7", "model 7"),
        Row("/model", [Int].self, "no Model", "no Model", "[1]", "[1]", "[1]"),
        Row(
            "/model", Data.self, "no Model", "the bytes [1]", "undecodable", "the bytes [1]", "the bytes [1]"),
    ]

    private var service: WebService {
        let stub = StubDataSource()
        func answer(_ path: URLPattern, _ body: String, _ type: String?) {
            let headers: Headers = type.map { ["Content-Type": $0] } ?? [:]
            stub.stub(.GET, path, .data(Data(body.utf8), headers: headers))
        }
        answer("/json", "[1]", "application/json")
        answer("/model", "[1]", "application/json")
        answer("/broken", "[1", "application/json")
        answer("/text", #""1""#, "text/plain")
        answer("/untyped", "[1]", nil)
        answer("/empty", "", nil)
        var service = WebService.test(stub)
        service.configureTransformer("/model") { (_: Entity<JSON>) in Model() }
        return service
    }

    @Test("The first rule of the table that fits counts", arguments: rows)
    func table(row: Row) async {
        await check(row, as: row.type)
    }

    private func check<Value: Decodable & Sendable>(_ row: Row, as type: Value.Type) async {
        let service = service
        func get() -> ServiceTask { service.GET("\(raw: row.path)") }

        await expect(row.content, row, "responseContent") {
            try await handled(get()) { $0.responseContent(.utility, as: type, $1) }
        }
        await expect(row.content, row, "content(as:)") { try await get().content(as: type) }
        await expect(row.contentOrBody, row, "transform") {
            try await get().transform { (value: Value) in Box(value: value) }.content(as: Box<Value>.self)
                .value
        }
        await expect(row.contentOrBody, row, "entity(as:)") { try await get().entity(as: type).content }
        await expect(row.body, row, "responseDecoded") {
            try await handled(get()) { $0.responseDecoded(.utility, as: type, $1) }
        }
        await expect(row.body, row, "decoded(as:)") { try await get().decoded(as: type) }
        await expect(row.future, row, "future(as:)") {
            try await service.future(as: type) { $0.GET("\(raw: row.path)") }.value
        }
        let resource = ResourceStore(service: service).resource("\(raw: row.path)", as: type)
        await expect(row.resource, row, "a resource") { try await resource.load().value }
        await expect(row.resource, row, "a resource that takes a task's answer") {
            try await resource.load(using: get()).value
        }
    }

    private struct Box<Value: Sendable>: Sendable {
        let value: Value
    }

    /// Returns the handler's value, or throws the chain's error.
    private func handled<Value: Sendable>(
        _ task: ServiceTask, _ attach: (ServiceTask, @escaping @Sendable (Value) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            attach(task) { continuation.resume(returning: $0) }
            task.responseError(.utility) { continuation.resume(throwing: $0) }
        }
    }

    private func expect<Value: Sendable>(
        _ expected: String, _ row: Row, _ asker: String, _ value: () async throws -> Value
    ) async {
        var shown: String
        do {
            switch try await value() {
            case let data as Data: shown = "the bytes \(String(decoding: data, as: UTF8.self))"
            case let model as Model: shown = "model \(model.number)"
            case let other: shown = "\(other)"
            }
        } catch let error as ServiceError {
            shown = "\(error.reason)"
            if case .contentMismatch(_, let actual) = error.reason { shown = "no \(actual)" }
        } catch {
            shown = "\(error)"
        }
        #expect(shown == expected, "\(asker), \(row.testDescription)")
    }
}

@Suite("Content that is there before a type is asked for")
struct TakenContentTests {
    private let folder = TemporaryFolder()

    @Test("A download's URL is taken, not read as JSON, by everything that asks for one")
    func download() async throws {
        let stub = StubDataSource()
        stub.stub(.GET, "/film", .json("http://elsewhere"))
        let service = WebService.test(stub)
        let target = folder.url.appending(path: "film")
        func get() -> ServiceTask {
            service.GET("/film", options: [.download(to: target, createsFolders: true)])
        }

        #expect(try await get().content(as: URL.self) == target)
        #expect(try await get().decoded(as: URL.self) == target)
        #expect(try await get().entity(as: URL.self).content == target)
        let future = service.future(as: URL.self) {
            $0.GET("/film", options: [.download(to: target, createsFolders: true)])
        }
        #expect(try await future.value == target)
        #expect(try await get().entity(as: String.self).content == "http://elsewhere")
    }

    @Test("Bytes that a transform made are a future's, too")
    func transformed() async throws {
        let stub = StubDataSource()
        stub.stub(.GET, "/sealed", .data(Data("cba".utf8)))
        let future = WebService.test(stub).future(as: Data.self) { service in
            service.GET("/sealed").transform { (data: Data) in Data(data.reversed()) }
        }
        #expect(try await future.value == Data("abc".utf8))
    }
}
