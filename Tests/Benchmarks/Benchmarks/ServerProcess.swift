import Foundation
import Swallow
import SwallowTesting
import Synchronization

/// A test server in a separate process, so that a measurement doesn't include its CPU time.
///
/// The executable starts itself again with `argument`. The child process serves until its standard input ends. The
/// input also ends if the parent process dies.
final class ServerProcess: Sendable {
    static let argument = "--serve"

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

    /// Runs the server in the child process.
    static func serve() {
        let server = Mutex<TestServer?>(nil)
        Task {
            guard let started = try? await TestServer(recordsRequests: false, respond) else { exit(1) }
            server.withLock { $0 = started }
            FileHandle.standardOutput.write(Data((started.url.absoluteString + "\n").utf8))
        }
        while readLine() != nil {}
        server.withLock { $0 }?.stop()
    }

    /// Responds to `/bytes/COUNT` and `/delay/MILLISECONDS`, and to the requests of `.ci/soak`.
    @Sendable
    private static func respond(to request: TestServer.Request) -> TestServer.Response {
        let segments = request.path.split(separator: "/")
        switch (segments.first, segments.last.flatMap { Int($0) }) {
        case ("bytes", let count?): return .data(Data(count: count))
        case ("delay", let milliseconds?):
            return .json(["delayed": true]).delayed(.milliseconds(milliseconds))
        case ("json", _), ("echo", _): return small
        case ("headers", _):
            return .json(["id": 1], headers: ["Cache-Control": request.query("Cache-Control") ?? "no-store"])
        case ("fault", _): return fault(segments.last) ?? .status(404)
        default: return .status(404)
        }
    }

    private static let small = TestServer.Response.json(["id": 1, "name": "Swallow"])

    private static func fault(_ name: Substring?) -> TestServer.Response? {
        switch name {
        case "reset-before-head": small.reset(.beforeHead)
        case "reset-mid-body": small.reset(.inBody)
        case "truncated": small.closed(.inBody)
        case "stall": small.stalled(.beforeHead)
        default: nil
        }
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
