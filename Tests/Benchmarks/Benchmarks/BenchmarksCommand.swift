import Foundation

/// Compares the cost of Swallow with the cost of its alternatives.
///
///     Benchmarks [filter …] [--check] [--json FILE] [--compare FILE] [--corpora FOLDER]
///     Benchmarks --chart FILE FOLDER
///
/// A filter selects the benchmarks whose names contain it. Without a filter, all benchmarks run.
///
/// - `--check` exits with 1 if a row misses its safe limit in three runs, or if no row has a safe limit.
/// - `--json` writes the rows to a file.
/// - `--compare` reads this file in a later run, and prints the ratio of each row's CPU time to the earlier one.
/// - `--corpora` also measures the JSON documents in a folder.
/// - `--chart` draws the guide's charts from a file that `--json` wrote.
///
/// The command also exits with 1 if Swallow's result is wrong, but not if a row misses its goal.
@main
enum BenchmarksCommand {
    private static let benchmarks =
        [loopback, startUp] + taskBenchmarks + handlerBenchmarks + memoryBenchmarks
        + [tenThousandInFlight, awaiting, parsingOnce] + jsonBenchmarks + [jsonNames, jsonMemory] + jsonWhole
        + jsonGrowth
        + transportBenchmarks + socketBenchmarks + pipelineBenchmarks + [hitBenchmark]
        + retryBenchmarks + repositoryBenchmarks + resourceBenchmarks + parameterBenchmarks

    /// How often `--check` runs a benchmark while one of its rows misses its safe limit.
    private static let attempts = 3

    static func main() throws {
        let start = ContinuousClock.now
        switch CommandLine.arguments.dropFirst().first {
        case ServerProcess.argument: return ServerProcess.serve()
        case StartUp.argument:
            return StartUp.serve(Array(CommandLine.arguments.dropFirst(2)), since: start)
        case "--chart": return try chart(CommandLine.arguments.dropFirst(2))
        default: break
        }
        let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
        let benchmarks = benchmarks + (try arguments.corpora.map { [try jsonFiles(in: $0)] } ?? [])
        let chosen = arguments.choice(of: benchmarks)
        let earlier = try arguments.compare.map(Results.init(contentsOf:))
        var results = Results()
        var checks: [(row: String, isSafe: Bool)] = []
        Table.printHead()
        for benchmark in chosen {
            var rows = try benchmark.rows()
            Table.print(rows, under: benchmark.name)
            // On a busy machine, other programs may slow down only one side of a comparison.
            for _ in 1..<attempts where arguments.checks && rows.contains(where: { $0.isSafe == false }) {
                rows = try benchmark.rows()
                Table.print(rows, under: benchmark.name + ", once more")
            }
            results.add(rows, of: benchmark.name)
            for row in rows {
                if let isSafe = row.isSafe { checks.append(("\(benchmark.name): \(row.label)", isSafe)) }
            }
            if let earlier { results.printChange(from: earlier, of: benchmark.name) }
        }
        if let json = arguments.json { try results.write(to: json) }
        if arguments.checks { check(checks) }
    }

    private static func chart(_ paths: ArraySlice<String>) throws {
        guard paths.count == 2, let file = paths.first, let folder = paths.last else {
            fail("--chart requires a file that --json wrote, and a folder")
        }
        try Charts.write(Results(contentsOf: URL(filePath: file)), into: URL(filePath: folder))
    }

    /// Fails if a row missed its safe limit, or if no row has a safe limit.
    private static func check(_ checks: [(row: String, isSafe: Bool)]) {
        let missed = checks.filter { !$0.isSafe }.map(\.row)
        if checks.isEmpty { fail("there is nothing to check") }
        if !missed.isEmpty { fail("too slow, also for a busy machine: \(missed.joined(separator: "; "))") }
        print("\(checks.count) rows are within their safe limits")
    }

    /// Shows that `--check` can fail. It runs only if a filter names it.
    private static let neverSafe = Benchmark("self-test") {
        [Row("twice as slow", result: .ratio(2), goal: .result(1, safe: 1.9))]
    }

    private struct Arguments {
        var filters: [String] = []
        var checks = false
        var json: URL?
        var compare: URL?
        var corpora: URL?

        init(_ arguments: [String]) {
            var rest = arguments[...]
            while let argument = rest.popFirst() {
                switch argument {
                case "--check": checks = true
                case "--json": json = Self.file(rest.popFirst(), of: argument)
                case "--compare": compare = Self.file(rest.popFirst(), of: argument)
                case "--corpora": corpora = Self.file(rest.popFirst(), of: argument)
                case _ where argument.hasPrefix("--"): fail("there is no option \(argument)")
                default: filters.append(argument)
                }
            }
        }

        /// Returns the benchmarks that match any of the filters. Fails if a filter matches none.
        func choice(of benchmarks: [Benchmark]) -> [Benchmark] {
            if filters.isEmpty { return benchmarks }
            let all = benchmarks + [neverSafe]
            func named(_ filter: String) -> [Benchmark] {
                all.filter { $0.name.localizedCaseInsensitiveContains(filter) }
            }
            if let wrong = filters.first(where: { named($0).isEmpty }) {
                let names = benchmarks.map { "  \($0.name)" }.joined(separator: "\n")
                fail("no benchmark's name contains \"\(wrong)\". The benchmarks are:\n\(names)")
            }
            return all.filter { benchmark in
                filters.contains { benchmark.name.localizedCaseInsensitiveContains($0) }
            }
        }

        private static func file(_ path: String?, of option: String) -> URL {
            guard let path else { fail("\(option) requires a path") }
            return URL(filePath: path)
        }
    }
}

/// Prints a message and exits with status 1.
func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("Benchmarks: \(message)\n".utf8))
    exit(1)
}
