import Swallow
import SwallowTesting
import Testing

@Suite("An app whose module defaults to the main actor")
struct StoreListTests {
    private let stub = StubDataSource()

    private var model: StoreListModel {
        stub.stub(.GET, "/stores", query: ["zip": "15217"], .json([["id": 1, "name": "Squirrel Hill"]]))
        return StoreListModel(service: WebService(baseURLString: "https://api.example.com", dataSource: stub))
    }

    @Test("captures self in handlers without ceremony")
    func chain() async {
        let model = model
        let task = model.load(zipCode: "15217")
        #expect(model.isLoading)
        _ = await task.result
        #expect(model.stores.map(\.name) == ["Squirrel Hill"])
        #expect(model.message == nil)
        #expect(!model.isLoading)
    }

    @Test("shows the message of a failure")
    func failure() async {
        let model = model
        _ = await model.load(zipCode: "99999").result
        #expect(model.stores.isEmpty)
        #expect(model.message != nil)
    }

    @Test("shows what it awaits: the stores, or the failure's message")
    func await_() async {
        let model = model
        await model.reload(zipCode: "15217")
        #expect(model.stores.count == 1)
        await model.reload(zipCode: "99999")
        #expect(model.message != nil)
    }

    @Test("names a queue for work off the main actor")
    func queue() async {
        let model = model
        let count = await withCheckedContinuation { continuation in
            model.count(zipCode: "15217") { continuation.resume(returning: $0) }
        }
        #expect(count == 1)
    }
}
