import Foundation
import Swallow
import SwallowTesting
import Testing

/// The README's samples after its first program, which CI compiles and runs as a separate package.
@MainActor
@Suite("The README's samples")
final class ReadmeSamples {
    private var stores: [Store] = []
    private var message = ""

    @Test("chain handlers")
    func chain() async {
        let stub = StubDataSource()
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        let service = WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
        let task =
            service.searchStores(zipCode: "15217")
            .responseDecoded { (stores: [Store]) in self.stores = stores }
            .responseError { error in self.message = error.userMessage }
        _ = await task.result
        #expect(stores.count == 1 && message.isEmpty)
    }

    @Test("handle an error")
    func error() async {
        let stub = StubDataSource()
        stub.stub(.POST, "/stores", .json(["id": 42, "name": "Greenfield"], status: 201))
        let service = WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
        let newStore = Store(id: 42, name: "Greenfield")
        do throws(ServiceError) {
            let store = try await service.POST("/stores", options: [.json(newStore)]).decoded(as: Store.self)
            print("Created store \(store.id).")
        } catch {
            print(error.userMessage, error.reason)
        }
        #expect(stub.requests.first?.httpMethod == "POST")
    }

    @Test("continue a download")
    func download() async throws {
        let stub = StubDataSource()
        stub.stub(.GET, "/film", .text("film"))
        let service = WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)

        let file = URL.temporaryDirectory.appending(path: "film.mp4")
        let task = service.GET("/film", options: [.download(to: file, resumes: true), .retry(.standard)])
        let film = try await task.content(as: URL.self)

        defer { try? FileManager.default.removeItem(at: film) }
        #expect(film == file)
        #expect(try String(contentsOf: film, encoding: .utf8) == "film")
    }
}
