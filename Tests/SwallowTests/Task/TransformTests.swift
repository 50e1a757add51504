import Foundation
import Swallow
import TestSupport
import Testing

@Suite("Content that a task's transform makes")
struct TransformTests {
    private struct Store: Codable, Equatable, Sendable {
        let id: Int
    }

    private let service = WebService.test(
        ManualDataSource(answersInResume: { exchange in
            switch exchange.request.url?.path() {
            case "/text": exchange.answer("hello", headers: ["Content-Type": "text/plain"])
            case "/failure": exchange.answer(status: 500)
            default: exchange.answer(#"[{"id": 1}, {"id": 2}]"#)
            }
        }))

    @Test("The handlers after it get the new content, those before it the old")
    func content() async {
        let before = Recorder<JSON>()
        let after = Recorder<Store>()
        service.GET("/stores")
            .responseContent(.utility) { (json: JSON) in before.append(json) }
            .transform { (stores: [Store]) in stores.first }
            .responseContent(.utility) { (store: Store) in after.append(store) }
            .responseContent { (store: Store) in after.append(store) }
            .responseDecoded(.utility) { (store: Store) in after.append(store) }
        #expect(await before.first(1) == [[["id": 1], ["id": 2]]])
        #expect(await after.first(3) == Array(repeating: Store(id: 1), count: 3))
    }

    @Test("So does an await, and what it gives can be transformed again")
    func awaited() async throws {
        let task = service.GET("/stores").transform { (stores: [Store]) in stores.last }
        #expect(try await task.content(as: Store.self) == Store(id: 2))
        task.transform { (store: Store) in store.id }.transform { (id: Int) in "\(id)!" }
        #expect(try await task.content(as: String.self) == "2!")
        #expect(try await task.result.get().content as? String == "2!")
    }

    @Test("The response keeps its own bytes, JSON, text and head")
    func response() async throws {
        let task = service.GET("/stores").transform { (stores: [Store]) in stores.count }
        #expect(try await task.content(as: Int.self) == 2)
        #expect(try await task.json[1]["id"].int == 2)
        #expect(try await task.text.hasPrefix("[{"))
        #expect(try await task.response.head.statusCode == 200)
        #expect(try await task.decoded(as: [Store].self).count == 2)
        #expect(try await task.result.get().contentType == "application/json")
    }

    @Test("What the pipeline made is transformed as it is, text and a model too")
    func pipeline() async throws {
        let text = service.GET("/text").transform { (text: String) in text.count }
        #expect(try await text.content(as: Int.self) == 5)
        var service = service
        service.configureTransformer("/stores") { (entity: Entity<JSON>) in Set([entity.content.count]) }
        let counts = service.GET("/stores").transform { (counts: Set<Int>) in counts.first }
        #expect(try await counts.content(as: Int.self) == 2)
    }

    @Test("It runs off the main thread, or on its queue, the main one too")
    func queues() async {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "transform")
        queue.setSpecific(key: key, value: "mine")
        let places = Recorder<String>()
        service.GET("/stores")
            .transform { (stores: [Store]) in
                places.append(Thread.isMainThread ? "main" : "other")
                return stores
            }
            .transform(queue) { (stores: [Store]) in
                places.append(DispatchQueue.getSpecific(key: key) ?? "other")
                return stores
            }
            .transform(.main) { (stores: [Store]) in
                MainActor.assumeIsolated { places.append("main") }
                return stores.count
            }
        #expect(await places.first(3) == ["other", "mine", "main"])
    }

    @Test("What it throws fails the chain, with head and body; nil is noOutput")
    func failures() async {
        let errors = Recorder<ServiceError>()
        let log = Recorder<String>()
        service.GET("/stores")
            .transform { (_: JSON) -> Int? in throw AppError(code: 4) }
            .responseContent(.utility) { (_: Int) in log.append("success") }
            .responseError(.utility) { errors.append($0) }
        service.GET("/stores")
            .transform { (_: [Store]) -> Store? in nil }
            .responseError(.utility) { errors.append($0) }
        let reasons = await errors.first(2).map(\.reason)
        #expect(Set(reasons) == [.thrown, .noOutput])
        #expect(errors.values.allSatisfy { $0.statusCode == 200 && $0.json[1]["id"].int == 2 })
        #expect(log.values.isEmpty)
    }

    @Test("Content of another type, and JSON that doesn't fit, fail the chain")
    func mismatches() async {
        let mismatch = await service.GET("/text").transform { (id: Int) in id }.result
        #expect(mismatch.failure?.reason == .contentMismatch(expected: "Int", actual: "String"))
        let undecodable = await service.GET("/stores").transform { (names: [String]) in names }.result
        #expect(undecodable.failure?.reason == .undecodable)
        let transformed = service.GET("/stores").transform { (stores: [Store]) in stores.count }
        let error = await #expect(throws: ServiceError.self) { try await transformed.content(as: URL.self) }
        #expect("\(error, default: "none")".contains("the task's transform returned the Int"))
    }

    @Test("It is passed over after a failure, and transforms what was recovered")
    func afterFailure() async throws {
        let log = Recorder<Int>()
        let task = service.GET("/failure")
            .transform { (json: JSON) in
                log.append(0)
                return json
            }
            .recover { _ in Entity(content: [Store(id: 7)]) }
            .transform { (stores: [Store]) in stores[0].id }
        #expect(try await task.content(as: Int.self) == 7)
        #expect(log.values.isEmpty)
    }

    @Test("A cancel during it outdoes it")
    func cancelled() async {
        let log = Recorder<String>()
        let task = service.GET("/stores")
        task.transform { (stores: [Store]) in
            task.cancel()
            return stores.count
        }
        .responseContent(.utility) { (_: Int) in log.append("success") }
        .responseError(.utility) { log.append("\($0.reason)") }
        #expect(await log.first(1) == ["cancelled"])
    }
}
