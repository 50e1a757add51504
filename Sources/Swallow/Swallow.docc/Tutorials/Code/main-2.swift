import Swallow
import SwallowTesting

let stub = StubDataSource()
stub.stub(.GET, "/stores", .json(["message": "There is no such zip code."], status: 404))
stub.stub(.GET, "/stores", query: ["zip": "15217"], .json([["id": 41, "name": "Squirrel Hill"]]))
let screen = StoreScreen(.stores(dataSource: stub))

for zipCode in ["15217", "1"] {
    await screen.refresh(zipCode)
    print(screen.message.isEmpty ? screen.stores.map(\.name) : screen.message)
}
