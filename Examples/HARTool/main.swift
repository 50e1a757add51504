// Shows, checks, cleans and makes HAR files, of browsers, proxies and Swallow:
//
//     HARTool inspect FILE                     the exchanges, on a common time axis
//     HARTool verify FILE                      what HAR 1.2 asks for, and isn't there
//     HARTool redact FILE [--name NAME]… [--path JSONPATH]…
//                                              the same recording without its secrets, on standard output
//     HARTool record FILE                      a recording of some requests to a server of its own

import Foundation
import Swallow
import SwallowTesting

do {
    let arguments = try Arguments(CommandLine.arguments.dropFirst())
    if arguments.command == .record { try await record(arguments.file) }
    let har = try HAR(contentsOf: arguments.file)
    switch arguments.command {
    case .inspect: print(Timeline(try Recording(har), name: arguments.name))
    case .verify: try verify(Recording(har), name: arguments.name)
    case .redact:
        let redacted = har.redacted(names: arguments.names, paths: arguments.paths)
        try FileHandle.standardOutput.write(contentsOf: redacted.data)
    case .record: print("\(arguments.name) has \(har.entries.count) entries")
    }
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("HARTool: \(error)\n".utf8))
    exit(1)
}

func verify(_ recording: Recording, name: String) throws {
    let problems = recording.problems
    for problem in problems { print(problem) }
    if !problems.isEmpty { throw Flaws(file: name, count: problems.count) }
    let creator = recording.creator.isEmpty ? "nobody" : recording.creator
    print("\(name) is good: HAR \(recording.version) by \(creator), entries: \(recording.exchanges.count)")
}

func record(_ file: URL) async throws {
    let server = try DemoServer.start()
    defer { server.stop() }
    try await WebService.recorded(url: server.baseURLString, to: file).sendSome()
}

struct Flaws: Error, CustomStringConvertible {
    let file: String
    let count: Int
    var description: String { "\(file) has \(count) \(count == 1 ? "flaw" : "flaws")" }
}
