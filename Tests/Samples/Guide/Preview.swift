import Swallow
import SwallowTesting

extension WebService {
    static var preview: WebService {
        let stub = StubDataSource()
        stub.stub(.GET, "/profile", .json(["name": "Ada"]))
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        stub.stub(.GET, "/search", .json([["id": 41, "name": "Squirrel Hill"]]))
        stub.stub(.GET, "/orders", .status(503))
        return WebService(baseURLString: "https://preview.example", dataSource: stub)
    }
}
