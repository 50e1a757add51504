import Swallow
import SwallowTesting

let stub = StubDataSource()
stub.stub(.GET, "/stores", query: ["zip": "15217"], .json([["id": 41, "name": "Squirrel Hill"]]))
let service = WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)

let stores = try await service.searchStores(zipCode: "15217").decoded(as: [Store].self)
for store in stores { print(store.id, store.name) }
