// Shows three resources of a server on this machine, refreshed by a timer, and by an order now and then:
// `Dashboard [ROUNDS]`; 8 rounds by default, 40 on a terminal.

import Foundation
import Swallow
import SwallowResources

let server = try DashboardServer().start()
let store = ResourceStore(service: .dashboard(url: server.baseURLString))
let dashboard = Dashboard(store)
let screen = Screen(dashboard)
for resource in [dashboard.visitors, dashboard.weather] { resource.addObserver(screen) }
dashboard.orders.addObserver(screen).load()

let isTerminal = isatty(FileHandle.standardOutput.fileDescriptor) == 1
let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? (isTerminal ? 40 : 8)
for round in 1...max(1, rounds) {
    dashboard.refresh()
    if round % 4 == 3 { dashboard.order(["tea", "cake"][round / 4 % 2]) }
    try await Task.sleep(for: .milliseconds(200))
}
screen.end()
server.stop()
