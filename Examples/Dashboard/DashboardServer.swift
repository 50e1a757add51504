import Foundation
import LoopbackServer
import Swallow

/// A server on this machine that counts visitors, takes orders, and sometimes doesn't know the weather.
// Unchecked: the variables are only used between lock() and unlock().
final class DashboardServer: @unchecked Sendable {
    private let lock = NSLock()
    private var visitors = 0
    private var weatherReports = 0
    private var orders: [JSON] = [["item": "coffee"]]
    private var answers = true

    func start() throws -> LoopbackServer {
        try LoopbackServer { request in self.answer(to: request) }
    }

    /// Whether requests are answered. Otherwise, their connections are reset.
    var isReachable: Bool {
        get { lock.withLock { answers } }
        set { lock.withLock { answers = newValue } }
    }

    /// Takes an order of another customer.
    func takeOrder(_ item: String) {
        lock.withLock { orders.append(["item": .string(item)]) }
    }

    private func answer(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
        lock.lock()
        defer { lock.unlock() }
        if !answers { return .resetBeforeHead }
        switch (request.method, request.path) {
        case ("GET", "/visitors"):
            visitors += 1
            return reply(["count": .number(visitors)])
        case ("GET", "/weather"):
            weatherReports += 1
            if weatherReports.isMultiple(of: 2) { return reply(["message": "fog"], status: 503) }
            return reply(["sky": weatherReports == 1 ? "sunny" : "cloudy"])
        case ("GET", "/orders"):
            return reply(.array(orders))
        case ("POST", "/orders"):
            orders.append(["item": .string((try? JSON(parsing: request.body))?["item"].string ?? "?")])
            return reply([:], status: 201)
        default:
            return reply([:], status: 404)
        }
    }

    private func reply(_ json: JSON, status: Int = 200) -> LoopbackServer.Reply {
        .respond(.json(json.data, status: status))
    }
}
