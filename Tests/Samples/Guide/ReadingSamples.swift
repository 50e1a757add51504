import Foundation
import Swallow
import SwallowTesting
import Testing

@Suite("The README's other samples")
struct ReadingSamples {
    @Test("await")
    func async() async throws {
        let stub = StubDataSource()
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        stub.stub(.GET, "/stores/*", .json(["id": 41, "name": "Squirrel Hill"]))
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        service.dataSource = RequestLog(base: service.dataSource) { line in print(line) }
        let stores = try await service.searchStores(zipCode: "15217").decoded(as: [Store].self)
        let json = try await service.GET("/stores/41").json
        let name = json["name"].string ?? "?"
        #expect(stores.first?.name == name)
    }

    @Test("read JSON")
    func json() throws {
        let data = Data(#"{"stores": [{"id": 41, "name": "Squirrel Hill"}]}"#.utf8)
        let json = try JSON(parsing: data)
        let names = json["stores"].elements.compactMap { $0["name"].string }
        let first = try json["stores"][0].decode(Store.self)
        let missing = json["no"]["such"][7]["thing"].exists
        let body: JSON = ["name": "Squirrel Hill", "tags": ["café", nil, 24]]
        #expect(names == [first.name] && !missing && body["tags"].count == 3)
    }

    @Test func searchSendsTheZipCode() async throws {
        let stub = StubDataSource()
        stub.stub(.GET, "/stores", query: ["zip": "15217"], .json([["id": 41, "name": "Squirrel Hill"]]))
        let service = WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)

        let stores = try await service.searchStores(zipCode: "15217").decoded(as: [Store].self)

        #expect(stores == [Store(id: 41, name: "Squirrel Hill")])
    }
}
