import Foundation
import LoopbackServer
import Swallow

/// The server's side, on this machine: it counts visitors, takes orders, and doesn't know the weather now and then.
// Unchecked: the variables are private, and only `answer` touches them, between lock() and unlock().
final class DashboardServer: @unchecked Sendable {
    private let lock = NSLock()
    private var visitors = 0
    private var weatherReports = 0
    private var orders: [JSON] = [["item": "coffee"]]

    func start() throws -> LoopbackServer {
        try LoopbackServer { request in self.answer(to: request) }
    }

    private func answer(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
        lock.lock()
        defer { lock.unlock() }
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
