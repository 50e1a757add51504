import Foundation
import LoopbackServer

/// `swift run -c release Benchmarks [filter]`: prints what Swallow costs beside what it competes with.
///
/// The filter is a part of a benchmark's name; without one all of them run. Exits with 1 when a benchmark finds
/// that Swallow did something wrong, not when a goal is missed.
@main
enum BenchmarksCommand {
    private static let benchmarks =
        [loopback] + taskBenchmarks + handlerBenchmarks + memoryBenchmarks
        + [tenThousandInFlight, awaiting, parsingOnce] + jsonBenchmarks + [jsonMemory] + transportBenchmarks
        + pipelineBenchmarks
        + repositoryBenchmarks

    static func main() throws {
        let argument = CommandLine.arguments.dropFirst().first
        if argument == ServerProcess.argument { return try ServerProcess.serve() }
        let chosen = benchmarks.filter { benchmark in
            argument.map { benchmark.name.localizedCaseInsensitiveContains($0) } ?? true
        }
        if chosen.isEmpty {
            let names = benchmarks.map { "  \($0.name)" }.joined(separator: "\n")
            fail("no benchmark's name holds \"\(argument ?? "")\"; there are\n\(names)")
        }
        Table.printHead()
        for benchmark in chosen { Table.print(try benchmark.rows(), under: benchmark.name) }
    }
}

/// Ends the process where a benchmark can't go on, or has found a fault.
func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("Benchmarks: \(message)\n".utf8))
    exit(1)
}
