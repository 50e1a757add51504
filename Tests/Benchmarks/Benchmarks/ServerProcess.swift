import Foundation
import LoopbackServer

/// A server in a process of its own, so that its time is not the benchmarks'.
///
/// This executable starts itself again with `argument`. The child serves until its standard input ends, which it
/// also does when the parent dies.
final class ServerProcess: Sendable {
    static let argument = "--serve"

    /// This executable.
    static var executable: URL {
        URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
    }

    let baseURLString: String
    private let process = Process()
    private let input = Pipe()

    init() throws {
        let output = Pipe()
        process.executableURL = Self.executable
        process.arguments = [Self.argument]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        baseURLString = Self.firstLine(of: output.fileHandleForReading)
        if baseURLString.isEmpty { fail("the server didn't start") }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The child's part.
    static func serve() throws {
        let server = try LoopbackServer(recordsRequests: false)
        FileHandle.standardOutput.write(Data((server.baseURLString + "\n").utf8))
        while readLine() != nil {}
        server.stop()
    }

    private static func firstLine(of file: FileHandle) -> String {
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let data = file.availableData
            if data.isEmpty { break }
            line += data
        }
        return String(decoding: line.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
