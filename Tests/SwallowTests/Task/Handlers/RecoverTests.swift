import Foundation
import Swallow
import SwallowResources
import TestSupport
import Testing

@Suite("Values that recover returns")
struct RecoverTests {
    private struct Store: Codable, Equatable, Sendable {
        let storeID: Int
    }

    /// A model that can't be encoded.
    private struct Region: Equatable, Sendable {
        let name: String
    }

    private var service: WebService {
        WebService.test(ManualDataSource(answersInResume: { $0.answer(status: 404) }))
    }

    @Test("A handler that requests the type of the value receives it unchanged")
    func handlers() async {
        let stores = Recorder<[Store]>()
        service.GET("/stores")
            .recover { error in
                guard error.isNotFound else { throw error }
                return [Store]()
            }
            .responseDecoded { (found: [Store]) in stores.append(found) }
            .responseDecoded(.utility, as: [Store].self) { stores.append($0) }
            .responseContent { (found: [Store]) in stores.append(found) }
        #expect(await stores.first(3) == [[], [], []])
    }

    @Test("An await, a transform and a future that request the type of the value receive it unchanged")
    func awaits() async throws {
        let saved = [Store(storeID: 7)]
        let task = service.GET("/stores").recover(.utility) { _ in saved }
        #expect(try await task.decoded(as: [Store].self) == saved)
        #expect(try await task.content(as: [Store].self) == saved)
        #expect(try await task.entity(as: [Store].self).content == saved)
        #expect(try await task.result.get().content as? [Store] == saved)
        let future = service.future(as: [Store].self) { $0.GET("/stores").recover { _ in saved } }
        #expect(try await future.value == saved)
        task.transform { (stores: [Store]) in stores.first }
        #expect(try await task.decoded(as: Store.self) == saved[0])
    }

    @Test("All other handlers read an Encodable value as JSON, in the service's encoding")
    func body() async throws {
        var service = service
        service.configure { $0.jsonEncoding.keyEncodingStrategy = .convertToSnakeCase }
        let bodies = Recorder<String>()
        let task = service.GET("/stores")
            .recover { _ in [Store(storeID: 7)] }
            .response { head, data in
                bodies.append("\(head.statusCode) \(String(decoding: data, as: UTF8.self))")
            }
            .responseText(.utility) { bodies.append($0) }
            .responseJSON { bodies.append($0.description) }
        let json = #"[{"store_id":7}]"#
        #expect(await bodies.first(3) == ["200 \(json)", json, json])
        #expect(try await task.data == Data(json.utf8))
        #expect(try await task.text == json)
        #expect(try await task.json[0]["store_id"].int == 7)
        #expect(try await task.entity(as: Data.self).content == Data(json.utf8))
        #expect(try await task.decoded(as: [[String: Int]].self) == [["store_id": 7]])
        let error = await #expect(throws: ServiceError.self) { try await task.content(as: JSON.self) }
        #expect(error?.reason == .contentMismatch(expected: "JSON", actual: "Array<Store>"))
    }

    @Test("A recovered value that isn't Encodable reaches handlers of its type, and has no body")
    func notEncodable() async throws {
        let region = Region(name: "North")
        let decoding = Decoding(Region.init, .required("name", .string))
        let task = service.GET("/region").recover { _ in region }
        #expect(try await task.decoded(with: decoding) == region)
        #expect(try await task.content(as: Region.self) == region)
        let error = await #expect(throws: ServiceError.self) { try await task.json }
        #expect(error?.reason == .contentMismatch(expected: "Data", actual: "Region"))
        #expect("\(error, default: "none")".contains("the recovered Region isn't Encodable"))
        await #expect(throws: ServiceError.self) { try await task.data }
        try await task.finished()
    }

    @Test("Recovered data or text becomes the body, and a recover without a value makes the body empty")
    func bodies() async throws {
        let data = service.GET("/").recover { _ in Data("[1]".utf8) }
        #expect(try await data.json == [1])
        #expect(try await data.decoded(as: [Int].self) == [1])
        let text = service.GET("/").recover { _ in "[2]" }
        #expect(try await text.decoded(as: [Int].self) == [2])
        #expect(try await text.text == "[2]")
        #expect(try await text.data == Data("[2]".utf8))
        let nothing = service.DELETE("/").recover { error in
            guard error.isNotFound else { throw error }
        }
        #expect(try await nothing.data.isEmpty)
        #expect(try await nothing.decoded(as: Store?.self) == nil)
        await #expect(throws: ServiceError.self) { try await nothing.json }
    }

    @Test("Optional values reach handlers of the optional type and of the wrapped type")
    func optionals() async throws {
        let absent = service.GET("/").recover { _ in nil as Store? }
        #expect(try await absent.decoded(as: Store?.self) == nil)
        #expect(try await absent.json.isNull)
        let present = service.GET("/").recover { _ in Store(storeID: 1) as Store? }
        #expect(try await present.decoded(as: Store.self) == Store(storeID: 1))
        let wrapped = service.GET("/").recover { _ in Store(storeID: 1) }
        #expect(try await wrapped.decoded(as: Store?.self) == Store(storeID: 1))
    }

    @Test("An entity adds header fields to its value")
    func entity() async throws {
        let task = service.GET("/").recover { _ in
            Entity(content: [Store(storeID: 1)], headers: ["ETag": "\"saved\""])
        }
        #expect(try await task.response.head.value(forHTTPHeaderField: "ETag") == "\"saved\"")
        #expect(try await task.content(as: [Store].self) == [Store(storeID: 1)])
        let erased = service.GET("/").recover { _ -> Entity<any Sendable> in Entity(content: "saved") }
        #expect(try await erased.text == "saved")
    }

    @Test("If a value can't be encoded, only handlers that read a body fail")
    func unencodable() async throws {
        let task = service.GET("/").recover { _ in [Double.nan] }
        #expect(try await task.decoded(as: [Double].self)[0].isNaN)
        let error = await #expect(throws: ServiceError.self) { try await task.json }
        #expect(error?.reason == .thrown && error?.underlying is EncodingError)
    }

    @Test("A value is encoded once, off the main thread")
    func encodedOnce() async {
        let threads = Recorder<Bool>()
        let bodies = Recorder<Int>()
        service.GET("/")
            .recover { _ in Watched(threads: threads) }
            .response { _, data in bodies.append(data.count) }
            .responseJSON { json in bodies.append(json.int ?? 0) }
            .response(.utility) { _, data in bodies.append(data.count) }
        #expect(await bodies.first(3) == [1, 7, 1])
        #expect(threads.values == [false])
    }

    /// A model that records for each encoding whether it happens on the main thread.
    private struct Watched: Encodable, Sendable {
        let threads: Recorder<Bool>

        func encode(to encoder: any Encoder) throws {
            threads.append(Thread.isMainThread)
            var container = encoder.singleValueContainer()
            try container.encode(7)
        }
    }

    @Test("A recover that only throws needs no type annotation, for a task and for a future")
    func onlyThrows() async {
        let task = service.GET("/").recover { error in throw error }
        #expect(await task.result.failure?.isNotFound == true)
        let future = service.future(as: [Store].self) { $0.GET("/") }.recover { error in throw error }
        #expect(await future.result.failure?.isNotFound == true)
    }
}
