import Foundation
import Support
import Swallow
import SwallowTesting
import Synchronization

extension DownloadProbe {
    /// Starts processes that download a file to the same target, and kills most of them at random times.
    ///
    /// After each process ends, the target must be absent or complete. The server's content changes now and then, and a
    /// resumed download must not mix two versions.
    static func kills(_ count: Int, seed: UInt64) async {
        var random = SplitMix(state: seed)
        let version = Mutex(1)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "Kills-\(UUID().uuidString)")
        let target = folder.appendingPathComponent("target.bin")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let server = try await TestServer(recordsRequests: false) { request in
                response(to: request, version: version.withLock { $0 })
            }
            var (finished, continued, changes) = (0, 0, 0)
            var killed = 0
            while killed < count {
                let part = folder.appendingPathComponent("target.bin.swallow-part")
                if fileSize(part) > 0 { continued += 1 }
                let process = try download(server.url.absoluteString + "/file", target)
                // Some processes finish, so that the probe also checks downloads that resume partial files.
                let lives = Int.random(in: 0..<4, using: &random) == 0
                let time = lives ? 60_000 : Int.random(in: 10...250, using: &random)
                let isKilled = try await kill(process, after: .milliseconds(time))
                if isKilled { killed += 1 }
                if let problem = problem(with: target, upTo: version.withLock { $0 }) {
                    fail("after \(killed) kills (seed \(seed)): \(problem)")
                }
                if !isKilled {
                    if !FileManager.default.fileExists(atPath: target.path) {
                        fail("a download left no target")
                    }
                    try FileManager.default.removeItem(at: target)
                    finished += 1
                }
                if Int.random(in: 0..<8, using: &random) == 0 {
                    version.withLock { $0 += 1 }
                    changes += 1
                }
            }
            let process = try download(server.url.absoluteString + "/file", target)
            _ = try await kill(process, after: .seconds(60))
            if problem(with: target, upTo: version.withLock { $0 }) != nil
                || !FileManager.default.fileExists(atPath: target.path)
            {
                fail("the last download is incomplete (seed \(seed))")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            if names != ["target.bin"] { fail("other files than the target are left: \(names)") }
            if count >= 50, continued == 0 { fail("no process was killed during a download") }
            print(
                "\(killed) kills, \(continued) partial files found, \(finished) complete downloads,"
                    + " \(changes) changes of the content. Every target was complete or absent.")
            server.stop()
        } catch {
            fail("\(error)")
        }
    }

    /// Returns the content of a version, or the requested range if `If-Range` names this version.
    private static func response(to request: TestServer.Request, version: Int) -> TestServer.Response {
        let (content, tag) = (content(version), "\"\(version)\"")
        let field = request[.range]?.wholeMatch(of: /bytes=(\d+)-/)
        let start = field.flatMap { request["If-Range"] == tag ? Int($0.1) : nil } ?? 0
        if start >= content.count {
            return .status(416, headers: ["ETag": tag, "Content-Range": "bytes */\(content.count)"])
        }
        let chunks = stride(from: start, to: content.count, by: 64 << 10).map { offset in
            Data(content.dropFirst(offset).prefix(64 << 10))
        }
        var headers: Headers = ["ETag": tag, "Accept-Ranges": "bytes"]
        if start > 0 { headers["Content-Range"] = "bytes \(start)-\(content.count - 1)/\(content.count)" }
        return .chunks(chunks, status: start > 0 ? 206 : 200, headers: headers, every: .milliseconds(1))
    }

    /// Returns at least 3 MiB of lines. Each line names the version.
    private static func content(_ version: Int) -> Data {
        var data = Data(capacity: 3 << 20)
        var line = 0
        while data.count < 3 << 20 {
            data.append(contentsOf: "version \(version), line \(line)\n".utf8)
            line += 1
        }
        return data
    }

    /// Returns why a target isn't complete, or `nil` if it is complete or absent.
    private static func problem(with target: URL, upTo version: Int) -> String? {
        guard let data = try? Data(contentsOf: target) else { return nil }
        let line = data.prefix { $0 != UInt8(ascii: ",") }
        guard let number = Int(String(decoding: line, as: UTF8.self).dropFirst("version ".count)),
            (1...version).contains(number)
        else { return "the target's first line names no known version" }
        return data == content(number)
            ? nil : "the target has \(data.count) bytes, not those of version \(number)"
    }

    private static func fileSize(_ url: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int) ?? 0
    }

    private static func download(_ url: String, _ target: URL) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["get", url, target.path, "resumes"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }

    /// Runs a process, and kills it after a time unless it ends first. Returns whether it was killed.
    private static func kill(_ process: Process, after time: Duration) async throws -> Bool {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        let identifier = process.processIdentifier
        let killer = Task {
            try await Task.sleep(for: time)
            _ = Foundation.kill(identifier, SIGKILL)
        }
        for await _ in ends {}
        killer.cancel()
        if process.terminationReason == .uncaughtSignal { return true }
        if process.terminationStatus != 0 {
            fail("a download failed with status \(process.terminationStatus)")
        }
        return false
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
