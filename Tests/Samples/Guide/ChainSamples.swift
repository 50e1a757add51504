import Foundation
import Observation
import Swallow
import SwallowTesting
import Testing

/// The first sample of the article, which is a complete file.
enum WholeChain {
    struct Store: Codable, Equatable, Sendable {
        let id: Int
        let name: String
    }

    struct NoStores: LocalizedError {
        var errorDescription: String? { "There are no stores here." }
    }

    @MainActor @Observable
    final class StoreList {
        private(set) var stores: [Store] = []
        private(set) var message = ""
        private(set) var isLoading = false
        private let service: WebService

        init(_ service: WebService) { self.service = service }

        func load(zipCode: String) {
            isLoading = true
            service.GET("/stores", parameters: ["zip": zipCode])
                .recover { error in
                    guard error.isNotFound else { throw error }
                    return [Store]()
                }
                .responseDecoded { (stores: [Store]) in
                    guard !stores.isEmpty else { throw NoStores() }
                    self.stores = stores
                    self.message = ""
                }
                .responseError { error in self.message = error.userMessage }
                .responseCompleted { _ in self.isLoading = false }
        }
    }
}

nonisolated struct Visitor: Codable, Equatable, Sendable {
    let name: String
}

@MainActor
@Suite("The README's chains")
final class ChainSamples {
    struct NoStores: Error {}
    struct StoreIsClosed: Error {}

    private struct OneStore: Decodable, Sendable {
        let name: String
        let isOpen: Bool
    }

    private struct Index: Sendable {
        func rebuild(from text: String) throws {}
        func add(_ stores: [Store]) {}
    }

    private let stub = StubDataSource()
    private var service: WebService {
        WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
    }
    private var stores: [Store] = []
    private var message = ""
    private var store: OneStore?
    private var nearest: Store?
    private var isLoading = false

    @Test("go on with other content, and end together")
    func transform() async {
        stub.stub(
            .GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"], ["id": 42, "name": "Greenfield"]]))
        let zipCode = "15217"
        let tasks = TaskBag()  // the screen calls tasks.cancel() when it disappears
        let task =
            service.searchStores(zipCode: zipCode)
            .transform { (stores: [Store]) in stores.first }
            .responseContent { (nearest: Store) in self.nearest = nearest }
            .responseError { error in self.message = error.userMessage }
            .add(to: tasks)
        _ = await task.result
        #expect(nearest?.name == "Squirrel Hill" && message.isEmpty)
        tasks.cancel()
    }

    @Test("end in one outcome", arguments: [200, 404])
    func completion(status: Int) async {
        isLoading = true
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]], status: status))
        let zipCode = "15217"
        let task = service.searchStores(zipCode: zipCode)
            .responseDecoded(as: [Store].self) { stores in self.stores = stores }
            .responseCompleted { outcome in
                self.isLoading = false
                switch outcome {
                case .success(let entity): self.message = "as of \(entity.timestamp)"
                case .failure(let error): self.message = error.userMessage
                }
            }
        _ = await task.result
        #expect(!isLoading && message.hasPrefix("as of") == (status == 200))
    }

    @Test("await in a task of the screen's, whose errors have their type", arguments: [200, 404])
    func typedErrors(status: Int) async {
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]], status: status))
        let zipCode = "15217"
        let task =
            Task {
                do throws(ServiceError) {
                    self.stores = try await service.searchStores(zipCode: zipCode).decoded(as: [Store].self)
                } catch {
                    self.message = error.userMessage
                }
            }
        await task.value
        #expect(stores.isEmpty == (status == 404) && message.isEmpty == (status == 200))
    }

    @Test(
        "fill a view model",
        arguments: [
            (200, true, ""), (200, false, "There are no stores here."),
            (404, false, "There are no stores here."),
        ])
    func viewModel(status: Int, isFound: Bool, message: String) async {
        let found: JSON = isFound ? [["id": 41, "name": "Squirrel Hill"]] : []
        stub.stub(.GET, "/stores", .json(found, status: status))
        let list = WholeChain.StoreList(service)
        list.load(zipCode: "15217")
        await withCheckedContinuation { isLoaded in
            withObservationTracking {
                _ = list.isLoading
            } onChange: {
                isLoaded.resume()
            }
        }
        #expect(list.stores.map(\.name) == (isFound ? ["Squirrel Hill"] : []) && list.message == message)
    }

    @Test(
        "recover, throw and show the message",
        arguments: [(404, ""), (403, "Not yours."), (200, "")])
    func errors(status: Int, expected: String) async {
        stub.stub(
            .GET, "/stores",
            status == 200
                ? .json([["id": 41, "name": "Squirrel Hill"]])
                : .json(["message": "Not yours."], status: status))
        let zipCode = "15217"
        let task =
            service.searchStores(zipCode: zipCode)
            .recover { error in
                guard error.isNotFound else { throw error }
                return [Store]()
            }
            .responseAsStores { stores in
                guard !stores.isEmpty else { throw NoStores() }
                self.stores = stores
            }
            .responseError { error in
                self.message = error.json["message"].string ?? error.userMessage
            }
        _ = await task.result
        #expect(stores.count == (status == 200 ? 1 : 0))
        #expect(status == 404 ? !message.isEmpty : message == expected)
    }

    @Test("run on the queues they name")
    func queues() async {
        final class Log: Sendable { func append(_ error: ServiceError) {} }
        let (index, log, errorQueue) = (Index(), Log(), DispatchQueue(label: "errors"))
        stub.stub(.GET, "/stores.csv", .text("41,Squirrel Hill"))
        let task =
            service.GET("/stores.csv")
            .responseText(.utility) { text in try index.rebuild(from: text) }
            .response { response, data in self.message = "\(data.count) bytes indexed" }
            .responseError(errorQueue) { error in log.append(error) }
        _ = await task.result
        #expect(message == "16 bytes indexed")
    }

    @Test("work from a program without a free main thread")
    func program() async throws {
        let index = Index()
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        let stores = try await service.searchStores(zipCode: "15217").decoded(as: [Store].self)

        let indexed =
            service.searchStores(zipCode: "15217")
            .responseDecoded(.utility, as: [Store].self) { stores in index.add(stores) }
        #expect(try await indexed.decoded(as: [Store].self) == stores)
    }

    @Test("fail by throwing")
    func throwing() async {
        typealias Store = OneStore
        stub.stub(.GET, "/stores/41", .json(["name": "Squirrel Hill", "isOpen": false]))
        let task =
            service.GET("/stores/41")
            .responseDecoded(as: Store.self) { store in
                guard store.isOpen else { throw StoreIsClosed() }
                self.store = store
            }
            .responseError { error in self.message = error.userMessage }
        _ = await task.result
        #expect(store == nil && !message.isEmpty)
    }

    @Test("fill what shows them, by an endpoint's own handler")
    func endpoint() async {
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        let zipCode = "15217"
        let task =
            service.searchStores(zipCode: zipCode)
            .responseAsStores { stores in self.stores = stores }
            .responseError { error in self.message = error.userMessage }
        _ = await task.result
        #expect(stores.count == 1 && message.isEmpty)
    }

    @Test("fill what shows them")
    func landing() async {
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        let task =
            service.searchStores(zipCode: "15217")
            .responseDecoded(as: [Store].self) { stores in self.stores = stores }
            .responseError { error in self.message = error.userMessage }
        _ = await task.result
        #expect(stores.count == 1)
    }
}
