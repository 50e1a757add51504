import Swallow
import SwallowResources

/// The view model: three resources, and the triggers that refresh them.
@MainActor
final class Dashboard {
    let visitors, weather: Resource<JSON>
    let orders: Resource<[Order]>

    init(_ store: ResourceStore) {
        visitors = store.resource("/visitors", as: JSON.self)
        weather = store.resource("/weather", as: JSON.self)
        orders = store.resource("/orders", as: [Order].self)
        visitors.refreshTriggers = [.every(.milliseconds(200))]
        weather.refreshTriggers = [.every(.milliseconds(300)), .reconnect]
        orders.refreshTriggers = [.reconnect]
    }

    func load() {
        visitors.loadIfNeeded()
        weather.loadIfNeeded()
        orders.loadIfNeeded()
    }

    /// Shows the order at once, and sends it.
    func order(_ item: String) {
        orders.change({ $0.append(Order(item: item)) }) { orders in
            orders.request(.POST, parameters: ["item": item])
        }
    }
}

struct Order: Codable, Sendable {
    let item: String
}

extension WebService {
    static func dashboard(url: String) -> WebService {
        var service = WebService(baseURLString: url)
        service.configure { $0.parameterEncoding = .json }
        // The orders are only loaded again after an order and when the network returns.
        service.configure("/orders") { $0.expirationTime = .zero }
        return service
    }
}
