import Foundation

struct Row: Sendable {
    let label: String
    var cost: Cost?
    var result: Figure?
    var goal: Goal?

    init(_ label: String, cost: Cost? = nil, result: Figure? = nil, goal: Goal? = nil) {
        self.label = label
        self.cost = cost
        self.result = result
        self.goal = goal
    }
}

enum Figure: Sendable {
    /// The ratio of two rows' CPU times.
    case ratio(Double)
    /// How many times as fast as its rival the contender is.
    case speed(Double)
    case count(Double)
    case bytes(Double)
    /// The platform doesn't report the figure.
    case notAvailable

    var value: Double? {
        switch self {
        case .ratio(let value), .speed(let value), .count(let value), .bytes(let value): value
        case .notAvailable: nil
        }
    }

    fileprivate var text: String {
        switch self {
        case .ratio(let ratio): String(format: "× %.3f", ratio)
        case .speed(let speed): String(format: "%.1f × as fast", speed)
        case .count(let count): String(format: "%.1f", count)
        case .bytes(let bytes):
            abs(bytes) < 1e5 ? String(format: "%.0f B", bytes) : String(format: "%.2f MB", bytes / 1e6)
        case .notAvailable: "n/a"
        }
    }
}

/// The limit for a row's figure. `safe` is a weaker limit that also holds on a busy machine. `--check` enforces it.
enum Goal: Sendable {
    /// The largest CPU time in microseconds.
    case cpu(Double)
    /// The largest result.
    case result(Double, safe: Double? = nil)
    /// The smallest result.
    case atLeast(Double, safe: Double? = nil)
}

enum Table {
    private static let labelWidth = 44
    private static let width = 15

    static func printHead() {
        printLine("", ["CPU µs", "wall µs", "result", "goal"])
    }

    static func print(_ rows: [Row], under title: String) {
        printLine(title, [])
        for row in rows {
            printLine(
                "  " + row.label,
                [
                    row.cost.map { String(format: "%.2f", $0.cpu) } ?? "",
                    row.cost.map { String(format: "%.2f", $0.wall) } ?? "",
                    row.result?.text ?? "",
                    row.verdict,
                ])
        }
    }

    private static func printLine(_ label: String, _ cells: [String]) {
        let line = cells.reduce(label.padded(to: labelWidth)) { line, cell in
            line + String(repeating: " ", count: max(1, width - cell.count)) + cell
        }
        Swift.print(line)
        fflush(nil)
    }
}

extension Row {
    /// Whether the result is within the safe limit, or `nil` if there is no limit or no result.
    var isSafe: Bool? {
        guard let value = result?.value else { return nil }
        return switch goal {
        case .result(_, let safe?): value <= safe
        case .atLeast(_, let safe?): value >= safe
        default: nil
        }
    }

    /// The goal, with a check mark if the row meets it and a cross otherwise.
    fileprivate var verdict: String {
        let (sign, limit, value): (String, Double, Double?) =
            switch goal {
            case nil: ("", 0, nil)
            case .cpu(let limit): ("≤", limit, cost?.cpu)
            case .result(let limit, _): ("≤", limit, result?.value)
            case .atLeast(let limit, _): ("≥", limit, result?.value)
            }
        guard let value else { return "" }
        let isMet = sign == "≤" ? value <= limit : value >= limit
        return "\(sign) \(limit.formatted()) \(isMet ? "✓" : "✗")"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
