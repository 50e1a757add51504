import Foundation
import LoopbackServer

/// `swift run -c release Benchmarks [filter] [--json FILE] [--compare FILE] [--corpora FOLDER]`: prints what Swallow
/// costs beside what it competes with.
///
/// The filter is a part of a benchmark's name; without one all of them run. `--json` writes the rows to a file, and
/// `--compare` reads such a file and shows what each row's CPU time is now in proportion to then. `--corpora` has the
/// JSON documents of a folder read as well. Exits with 1 when a benchmark finds that Swallow did something wrong, not
/// when a goal is missed.
@main
enum BenchmarksCommand {
    private static let benchmarks =
        [loopback] + taskBenchmarks + handlerBenchmarks + memoryBenchmarks
        + [tenThousandInFlight, awaiting, parsingOnce] + jsonBenchmarks + [jsonMemory] + jsonGrowth
        + transportBenchmarks
        + pipelineBenchmarks
        + retryBenchmarks + repositoryBenchmarks + resourceBenchmarks + parameterBenchmarks

    static func main() throws {
        if CommandLine.arguments.dropFirst().first == ServerProcess.argument {
            return try ServerProcess.serve()
        }
        let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
        let benchmarks = benchmarks + (try arguments.corpora.map { [try jsonFiles(in: $0)] } ?? [])
        let chosen = benchmarks.filter { benchmark in
            arguments.filter.map { benchmark.name.localizedCaseInsensitiveContains($0) } ?? true
        }
        if chosen.isEmpty {
            let names = benchmarks.map { "  \($0.name)" }.joined(separator: "\n")
            fail("no benchmark's name holds \"\(arguments.filter ?? "")\"; there are\n\(names)")
        }
        let earlier = try arguments.compare.map(Results.init(contentsOf:))
        var results = Results()
        Table.printHead()
        for benchmark in chosen {
            let rows = try benchmark.rows()
            results.add(rows, of: benchmark.name)
            Table.print(rows, under: benchmark.name)
            if let earlier { results.printChange(from: earlier, of: benchmark.name) }
        }
        if let json = arguments.json { try results.write(to: json) }
    }

    private struct Arguments {
        var filter: String?
        var json: URL?
        var compare: URL?
        var corpora: URL?

        init(_ arguments: [String]) {
            var rest = arguments[...]
            while let argument = rest.popFirst() {
                switch argument {
                case "--json": json = Self.file(rest.popFirst(), of: argument)
                case "--compare": compare = Self.file(rest.popFirst(), of: argument)
                case "--corpora": corpora = Self.file(rest.popFirst(), of: argument)
                case _ where argument.hasPrefix("--"): fail("there is no option \(argument)")
                default: filter = argument
                }
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
