// Shows, checks, redacts and records HAR files:
//
//     HARTool inspect FILE                     shows the exchanges on a common time axis
//     HARTool verify FILE                      lists the violations of HAR 1.2
//     HARTool redact FILE [--name NAME]… [--path JSONPATH]…
//                                              writes the recording without its secrets to standard output
//     HARTool record FILE                      records some requests to the program's own server

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
        let redacted = try har.redacted(names: arguments.names, paths: arguments.paths)
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
    if !problems.isEmpty { throw Violations(file: name, count: problems.count) }
    let creator = recording.creator.isEmpty ? "an unknown program" : recording.creator
    print("\(name) is valid: HAR \(recording.version) by \(creator), entries: \(recording.exchanges.count)")
}

func record(_ file: URL) async throws {
    let server = try DemoServer.start()
    defer { server.stop() }
    try await WebService.recorded(url: server.baseURLString, to: file).sendSome()
}

struct Violations: Error, CustomStringConvertible {
    let file: String
    let count: Int
    var description: String { "\(file) has \(count) \(count == 1 ? "violation" : "violations")" }
}
