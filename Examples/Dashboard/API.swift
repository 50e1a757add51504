import Swallow
import SwallowResources

/// The view model: three resources, and what the screen does with them.
@MainActor
final class Dashboard {
    let visitors, weather: Resource<JSON>
    let orders: Resource<[Order]>

    init(_ store: ResourceStore) {
        visitors = store.resource("/visitors", as: JSON.self)
        weather = store.resource("/weather", as: JSON.self)
        orders = store.resource("/orders", as: [Order].self)
    }

    func refresh() { for resource in [visitors, weather] { resource.loadIfNeeded() } }
    func order(_ item: String) { orders.request(.POST, parameters: ["item": item]) }
}

struct Order: Codable, Sendable {
    let item: String
}

extension WebService {
    /// How long each of the three stays up to date.
    static func dashboard(url: String) -> WebService {
        var service = WebService(baseURLString: url)
        service.configure { $0.parameterEncoding = .json }
        service.configure("/visitors") { $0.expirationTime = .zero }
        service.configure("/weather") { $0.expirationTime = .milliseconds(250) }
        service.configure("/orders") { $0.expirationTime = .seconds(3600) }
        return service
    }
}
