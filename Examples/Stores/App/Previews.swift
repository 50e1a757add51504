import StoresModels
import Swallow
import SwallowTesting

extension WebService {
    /// A service with stubbed responses, for previews.
    static var preview: WebService {
        let stub = StubDataSource()
            .stub(.POST, "/token", .json(["token": "t", "refresh": "r", "seconds": 3600]))
            .stub(
                .GET, "/stores",
                .json([["id": 41, "name": "Squirrel Hill", "city": "Pittsburgh", "isFavorite": true]])
            )
            .stub(
                .GET, "/stores/41",
                .json(["id": 41, "name": "Squirrel Hill", "city": "Pittsburgh", "isFavorite": true])
            )
            .stub(.GET, "/stores/41/reviews", .json([["id": 1, "text": "Good coffee."]]))
            .stub(.GET, "/catalog", .text("Coffee, tea, cake"))
        return WebService(baseURLString: "https://stores.test", dataSource: stub)
    }
}

extension Session {
    /// A session with stubbed responses, for previews.
    static var preview: Session { Session(service: .preview, token: "t") }
}
