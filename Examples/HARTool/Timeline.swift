import Foundation
import Swallow
import SwallowTesting

/// A recording as a table, with a bar for each exchange on a common time axis.
struct Timeline: CustomStringConvertible {
    private static let barWidth = 32
    private let har: HAR
    private let name: String

    init(_ har: HAR, name: String) {
        self.har = har
        self.name = name
    }

    var description: String {
        let creator = har.creator.isEmpty ? "" : " by \(har.creator)"
        let title = "\(name): HAR \(har.version)\(creator), entries: \(har.entries.count)"
        let legend = "· waiting for a connection   – connecting   ░ waiting for the answer   █ receiving it"
        return ([title, ""] + rows + ["", legend]).joined(separator: "\n")
    }

    private var rows: [String] {
        let cells = har.entries.map(cells)
        let widths = (0..<5).map { column in cells.map { $0[column].count }.max() ?? 0 }
        return zip(har.entries, cells).map { entry, cells in
            let padded = zip(cells, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                // Numbers to the right.
                return column > 2 ? padding + cell.0 : cell.0 + padding
            }
            return "\(padded.joined(separator: "  "))  |\(bar(entry))|"
        }
    }

    private func cells(_ entry: HAR.Entry) -> [String] {
        let response = entry.response
        let status = response.status == 0 ? "–" : "\(response.status)"
        let size = max(0, response.content.size)
        return [
            entry.request.method, status, target(entry.request.url), Self.size(size),
            "\(Int(min(Self.milliseconds(entry), 1e9).rounded())) ms",
        ]
    }

    /// The path with its query, and the host where there are several.
    private func target(_ url: String) -> String {
        let parts = URLComponents(string: url)
        let hosts = Set(har.entries.map { URLComponents(string: $0.request.url)?.host })
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
        let start = har.entries.compactMap(\.started).min() ?? .distantPast
        return (start, har.entries.map { offset(of: $0, from: start) + Self.milliseconds($0) }.max() ?? 0)
    }

    private static func milliseconds(_ entry: HAR.Entry) -> Double { entry.duration / .milliseconds(1) }

    private func offset(of entry: HAR.Entry, from start: Date) -> Double {
        (entry.started ?? start).timeIntervalSince(start) * 1000
    }

    private func bar(_ entry: HAR.Entry) -> String {
        let span = span
        guard span.length > 0 else { return String(repeating: " ", count: Self.barWidth) }
        let timings = entry.timings
        let connecting = max(0, timings.dns) + max(0, timings.connect)
        let phases = [
            (" ", offset(of: entry, from: span.start)), ("·", max(0, timings.blocked)), ("–", connecting),
            ("░", max(0, timings.send) + max(0, timings.wait)), ("█", max(0, timings.receive)),
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
