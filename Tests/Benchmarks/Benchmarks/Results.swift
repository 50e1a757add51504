import Foundation
import Swallow

/// The figures of a run. In each dictionary, the keys are the benchmark's name and the row's label.
struct Results: Codable {
    /// Where and when the figures were measured, or `nil` in files of older versions.
    private(set) var circumstances: Circumstances?
    /// The CPU time of each row in microseconds.
    private var microseconds: [String: [String: Double]] = [:]
    /// The noise of each row, as in ``Cost/noise``.
    private var noise: [String: [String: Double]] = [:]
    /// Each row's result, which is a ratio, a speed, a count or bytes. It is `nil` in files of older versions.
    private var results: [String: [String: Double]]? = [:]

    init() {
        circumstances = .current
    }

    init(contentsOf file: URL) throws {
        self = try JSON(parsing: Data(contentsOf: file)).decode()
    }

    mutating func add(_ rows: [Row], of benchmark: String) {
        for row in rows {
            microseconds[benchmark, default: [:]][row.label] = row.cost?.cpu.digits(5)
            noise[benchmark, default: [:]][row.label] = row.cost?.noise.digits(3)
            results?[benchmark, default: [:]][row.label] = row.result?.value?.digits(5)
        }
    }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: file)
    }

    /// Returns a row's CPU time in microseconds. Exits if there is no such row.
    func microseconds(_ benchmark: String, _ row: String) -> Double {
        value(of: microseconds, benchmark, row)
    }

    /// Returns a row's result. Exits if there is no such row.
    func result(_ benchmark: String, _ row: String) -> Double {
        value(of: results ?? [:], benchmark, row)
    }

    /// Returns the labels that begin with a prefix. The row with the largest CPU time is first.
    func rows(of benchmark: String, prefix: String = "") -> [String] {
        (microseconds[benchmark] ?? [:]).filter { $0.key.hasPrefix(prefix) }
            .sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map(\.key)
    }

    private func value(of table: [String: [String: Double]], _ benchmark: String, _ row: String) -> Double {
        guard let value = table[benchmark]?[row] else {
            fail(
                "the file has no row \"\(row)\" of \"\(benchmark)\". Measure again with .ci/charts --measure"
            )
        }
        return value
    }

    /// Compares each row's time with an earlier run, and prints the ratio and whether the change exceeds the noise.
    func printChange(from earlier: Results, of benchmark: String) {
        for (label, now) in (microseconds[benchmark] ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let then = earlier.microseconds[benchmark]?[label], then > 0 else { continue }
            let spread = (noise[benchmark]?[label] ?? 0) + (earlier.noise[benchmark]?[label] ?? 0)
            let change = now / then
            let direction = change < 1 ? "faster" : "slower"
            let verdict = abs(change - 1) <= spread ? "within the noise" : direction
            print("    \(label): × \(String(format: "%.3f ± %.3f", change, spread)), \(verdict)")
        }
    }
}

extension Double {
    /// Returns the number, rounded to `count` significant digits.
    fileprivate func digits(_ count: Int) -> Double {
        Double(String(format: "%.\(count)g", self)) ?? self
    }
}
