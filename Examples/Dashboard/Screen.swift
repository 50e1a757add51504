import Foundation
import Swallow
import SwallowResources

/// Draws the dashboard anew whenever one of its resources has something to tell: in its place on a terminal, a line each
/// time in a pipe.
@MainActor
final class Screen: ResourceObserver {
    private let dashboard: Dashboard
    private let isTerminal = isatty(FileHandle.standardOutput.fileDescriptor) == 1
    private var latestLine = ""

    init(_ dashboard: Dashboard) {
        self.dashboard = dashboard
    }

    func resourceChanged(_ resource: any AnyResource, event: ResourceEvent) {
        let line = [
            "visitors \(text(dashboard.visitors) { "\($0["count"].int ?? 0)" })",
            "weather \(text(dashboard.weather) { $0["sky"].string ?? "?" })",
            "orders \(text(dashboard.orders) { $0.map(\.item).joined(separator: ", ") })",
        ].joined(separator: " | ")
        if line == latestLine { return }
        latestLine = line
        write(isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n")
    }

    /// What there is, and why there is nothing newer.
    private func text<Content>(_ resource: Resource<Content>, _ text: (Content) -> String) -> String {
        switch resource.state {
        case .empty, .loading(nil): "…"
        case .loading(let content?), .loaded(let content): text(content)
        case .failed(let error, let content): "\(content.map(text) ?? "?") (\(error.userMessage))"
        }
    }

    func end() {
        if isTerminal { write("\n") }
    }

    private func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
