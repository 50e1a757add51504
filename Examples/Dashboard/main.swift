// Shows three resources of a server on this machine. Visitors and weather are loaded again on an interval. Every eight rounds,
// an order is sent, and then the server can't be reached for two rounds. When it can, the orders are loaded again.
// `Dashboard [ROUNDS]`. The default is 8 rounds, or 40 on a terminal.

import Foundation
import Swallow
import SwallowResources

let server = DashboardServer()
let listener = try server.start()
let store = ResourceStore(service: .dashboard(url: listener.baseURLString))
let dashboard = Dashboard(store)
let screen = Screen(dashboard)
for resource in [dashboard.visitors, dashboard.weather] { resource.addObserver(screen) }
dashboard.orders.addObserver(screen)
dashboard.load()

let isTerminal = isatty(FileHandle.standardOutput.fileDescriptor) == 1
let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? (isTerminal ? 40 : 8)
for round in 1...max(1, rounds) {
    switch round % 8 {
    case 2: dashboard.order("tea")
    case 4:
        server.isReachable = false
        server.takeOrder("cake")
    case 6: server.isReachable = true
    default: break
    }
    try await Task.sleep(for: .milliseconds(200))
}
screen.end()
listener.stop()
