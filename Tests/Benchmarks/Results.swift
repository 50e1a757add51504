import Foundation
import Swallow

/// The CPU times of a run, by benchmark and row, as a file keeps them.
struct Results: Codable {
    private var microseconds: [String: [String: Double]] = [:]
    /// What part of a row's time the middle half of its rounds differ by.
    private var noise: [String: [String: Double]] = [:]

    init() {}

    init(contentsOf file: URL) throws {
        self = try JSON(parsing: Data(contentsOf: file)).decode()
    }

    mutating func add(_ rows: [Row], of benchmark: String) {
        for row in rows {
            microseconds[benchmark, default: [:]][row.label] = row.cost?.cpu
            noise[benchmark, default: [:]][row.label] = row.cost?.noise
        }
    }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: file)
    }

    /// Prints each row's time in proportion to an earlier run's, and whether that is more than noise.
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
