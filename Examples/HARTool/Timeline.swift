import Foundation
import Swallow
import SwallowTesting

/// A recording as a table, with a bar for each exchange on a common time axis.
struct Timeline: CustomStringConvertible {
    private static let barWidth = 32
    private let recording: Recording
    private let exchanges: [Recording.Exchange]
    private let name: String

    init(_ recording: Recording, name: String) {
        self.recording = recording
        exchanges = recording.exchanges
        self.name = name
    }

    var description: String {
        let creator = recording.creator.isEmpty ? "" : " by \(recording.creator)"
        let title = "\(name): HAR \(recording.version)\(creator), entries: \(exchanges.count)"
        let legend = "· waiting for a connection   – connecting   ░ waiting for the answer   █ receiving it"
        return ([title, ""] + rows + ["", legend]).joined(separator: "\n")
    }

    private var rows: [String] {
        let cells = exchanges.map(cells)
        let widths = (0..<5).map { column in cells.map { $0[column].count }.max() ?? 0 }
        return zip(exchanges, cells).map { exchange, cells in
            let padded = zip(cells, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                // Numbers to the right.
                return column > 2 ? padding + cell.0 : cell.0 + padding
            }
            return "\(padded.joined(separator: "  "))  |\(bar(exchange))|"
        }
    }

    private func cells(_ exchange: Recording.Exchange) -> [String] {
        let entry = exchange.entry
        let status = entry.response.status == 0 ? "–" : "\(entry.response.status)"
        return [
            entry.request.method, status, target(entry.request.url), Self.size(exchange.size),
            "\(Int(min(Self.milliseconds(entry), 1e9).rounded())) ms",
        ]
    }

    /// The path with its query, and the host where there are several.
    private func target(_ url: String) -> String {
        let parts = URLComponents(string: url)
        let hosts = Set(exchanges.map { URLComponents(string: $0.entry.request.url)?.host })
        let host = hosts.count > 1 ? parts?.host ?? "" : ""
        let query = parts?.percentEncodedQuery.map { "?\($0)" } ?? ""
        let text = "\(host)\(parts?.percentEncodedPath ?? url)\(query)"
        return text.count > 40 ? "\(text.prefix(39))…" : text.isEmpty ? "/" : text
    }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1000: "\(bytes) B"
        case ..<1_000_000: "\(bytes / 1000) kB"
        default: "\(bytes / 1_000_000) MB"
        }
    }
}

// MARK: - Time

extension Timeline {
    /// When the first exchange begins, and how many milliseconds later the last one ends.
    private var span: (start: Date, length: Double) {
        let entries = exchanges.map(\.entry)
        let start = entries.compactMap(\.started).min() ?? .distantPast
        return (start, entries.map { offset(of: $0, from: start) + Self.milliseconds($0) }.max() ?? 0)
    }

    private static func milliseconds(_ entry: HAR.Entry) -> Double { entry.duration / .milliseconds(1) }

    private func offset(of entry: HAR.Entry, from start: Date) -> Double {
        (entry.started ?? start).timeIntervalSince(start) * 1000
    }

    private func bar(_ exchange: Recording.Exchange) -> String {
        let span = span
        guard span.length > 0 else { return String(repeating: " ", count: Self.barWidth) }
        let connecting = exchange.duration(of: "dns") + exchange.duration(of: "connect")
        let waiting = exchange.duration(of: "send") + exchange.duration(of: "wait")
        let phases = [
            (" ", offset(of: exchange.entry, from: span.start)), ("·", exchange.duration(of: "blocked")),
            ("–", connecting), ("░", waiting), ("█", exchange.duration(of: "receive")),
        ]
        var (bar, time) = ("", 0.0)
        for (mark, length) in phases {
            time += length
            let end = Int((min(time / span.length, 1) * Double(Self.barWidth)).rounded())
            bar += String(repeating: mark, count: max(0, min(end, Self.barWidth) - bar.count))
        }
        // What took next to no time is seen, all the same.
        if bar.allSatisfy({ $0 == " " }) { bar = "\(bar.prefix(Self.barWidth - 1))█" }
        return bar + String(repeating: " ", count: Self.barWidth - bar.count)
    }
}
