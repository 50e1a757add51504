import Foundation
import Swallow
import SwallowTesting

/// Shows, checks, cleans and makes HAR files, of browsers, proxies and Swallow:
///
///     HARTool inspect FILE                     the exchanges, on a common time axis
///     HARTool verify FILE                      what HAR 1.2 asks for, and isn't there
///     HARTool redact FILE [--name NAME]… [--path JSONPATH]…
///                                              the same recording without its secrets, on standard output
///     HARTool record FILE                      a recording of some requests to a server of its own
@main
struct HARTool {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            switch arguments.command {
            case .inspect: print(Timeline(try HAR(contentsOf: arguments.file), name: arguments.name))
            case .verify: try verify(arguments)
            case .redact: try redact(arguments)
            case .record: try await record(arguments)
            }
        } catch {
            fail(error)
        }
    }

    private static func verify(_ arguments: Arguments) throws {
        let har = try HAR(contentsOf: arguments.file)
        let problems = har.problems
        for problem in problems { print(problem) }
        if !problems.isEmpty { throw Flaws(file: arguments.name, count: problems.count) }
        let creator = har.creator.isEmpty ? "nobody" : har.creator
        print("\(arguments.name) is good: HAR \(har.version) by \(creator), entries: \(har.entries.count)")
    }

    private static func redact(_ arguments: Arguments) throws {
        let redaction = HAR.Redaction(
            .standard.adding(arguments.names), bodies: arguments.paths.map { JSONPath($0) })
        let har = try HAR(contentsOf: arguments.file)
        try FileHandle.standardOutput.write(contentsOf: redaction.redacted(har).data)
    }

    private static func record(_ arguments: Arguments) async throws {
        let server = try DemoServer.start()
        defer { server.stop() }
        try await DemoServer.record(from: server.baseURLString, to: arguments.file)
        print("\(arguments.name) has \(try HAR(contentsOf: arguments.file).entries.count) entries")
    }

    struct Flaws: Error, CustomStringConvertible {
        let file: String
        let count: Int
        var description: String { "\(file) has \(count) \(count == 1 ? "flaw" : "flaws")" }
    }

    /// Prints one line to standard error, and exits with 1.
    private static func fail(_ error: any Error) -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("HARTool: \(error)\n".utf8))
        exit(1)
    }
}
