import Foundation

/// `swift run -c release Benchmarks [filter …] [--check] [--json FILE] [--compare FILE] [--corpora FOLDER]`: prints what
/// Swallow costs beside what it competes with. `Benchmarks --chart FILE FOLDER` draws what a file of `--json` has.
///
/// A filter is a part of a benchmark's name; without one all of them run. `--check` exits with 1 where a row misses, three
/// times in a row, what is safe to ask of it on a busy machine. `--json` writes the rows to a file, and
/// `--compare` reads such a file and shows what each row's CPU time is now in proportion to then. `--corpora` has the
/// JSON documents of a folder read as well. Exits with 1 when a benchmark finds that Swallow did something wrong, not
/// when a goal is missed.
@main
enum BenchmarksCommand {
    private static let benchmarks =
        [loopback, startUp] + taskBenchmarks + handlerBenchmarks + memoryBenchmarks
        + [tenThousandInFlight, awaiting, parsingOnce] + jsonBenchmarks + [jsonNames, jsonMemory] + jsonWhole
        + jsonGrowth
        + transportBenchmarks + socketBenchmarks + pipelineBenchmarks + [hitBenchmark]
        + retryBenchmarks + repositoryBenchmarks + resourceBenchmarks + parameterBenchmarks

    /// How often a benchmark is measured in which a row isn't safe.
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
            // A busy machine may take its time from one side of a comparison.
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

    /// Draws the guide's charts into a folder.
    private static func chart(_ paths: ArraySlice<String>) throws {
        guard paths.count == 2, let file = paths.first, let folder = paths.last else {
            fail("--chart wants a file of --json, and a folder")
        }
        try Charts.write(Results(contentsOf: URL(filePath: file)), into: URL(filePath: folder))
    }

    /// Ends the process where a row isn't safe, or where there is none to look at.
    private static func check(_ checks: [(row: String, isSafe: Bool)]) {
        let missed = checks.filter { !$0.isSafe }.map(\.row)
        if checks.isEmpty { fail("there is nothing to check") }
        if !missed.isEmpty { fail("too slow, also for a busy machine: \(missed.joined(separator: "; "))") }
        print("\(checks.count) rows are as fast as they have to be")
    }

    /// Shows that `--check` can fail; runs only where it is named.
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

        /// The benchmarks that a filter names, each of which has to name one.
        func choice(of benchmarks: [Benchmark]) -> [Benchmark] {
            if filters.isEmpty { return benchmarks }
            let all = benchmarks + [neverSafe]
            func named(_ filter: String) -> [Benchmark] {
                all.filter { $0.name.localizedCaseInsensitiveContains(filter) }
            }
            if let wrong = filters.first(where: { named($0).isEmpty }) {
                let names = benchmarks.map { "  \($0.name)" }.joined(separator: "\n")
                fail("no benchmark's name holds \"\(wrong)\"; there are\n\(names)")
            }
            return all.filter { benchmark in
                filters.contains { benchmark.name.localizedCaseInsensitiveContains($0) }
            }
        }

        private static func file(_ path: String?, of option: String) -> URL {
            guard let path else { fail("\(option) wants a path") }
            return URL(filePath: path)
        }
    }
}

/// Ends the process where a benchmark can't go on, or has found a fault.
func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("Benchmarks: \(message)\n".utf8))
    exit(1)
}
