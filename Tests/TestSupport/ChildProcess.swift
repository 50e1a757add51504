import Foundation
import Swallow

/// A process that a test starts, without Foundation's `Process`: that reads past the end of a page now and then where many
/// files are open (Linux, Swift 6.3), and the tests end by a signal. One that hasn't ended after five minutes is aborted.
package struct ChildProcess: Sendable {
    package let identifier: pid_t
    /// What it writes to its standard output.
    package let output: FileHandle
    private let limit: ScheduledWork

    /// - Parameter environment: what it has beside this process's own environment.
    package init(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:]
    ) throws {
        let pipe = Pipe()
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, pipe.fileHandleForWriting.fileDescriptor, 1)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let words = ([executable.path] + arguments).map { strdup($0) }
        let settings = variables.map { strdup("\($0)=\($1)") }
        defer { (words + settings).forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, executable.path, &actions, nil, words + [nil], settings + [nil])
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        try pipe.fileHandleForWriting.close()
        self.identifier = identifier
        limit = SystemClock.system.schedule(after: .seconds(300)) { [identifier] in
            _ = Foundation.kill(identifier, SIGABRT)
        }
        output = pipe.fileHandleForReading
    }

    package func kill() {
        _ = Foundation.kill(identifier, SIGKILL)
    }

    /// Waits on a thread of its own for how the process ends; a negative number is a signal's. To be called once.
    package func status() async throws -> Int32 {
        try await onThread {
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0 {
                guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECHILD) }
            }
            limit.cancel()
            let signal = status & 0x7f
            return signal == 0 ? (status >> 8) & 0xff : -signal
        }
    }

    /// An executable that the build puts beside the tests.
    package static func executable(_ name: String) -> URL? {
        #if canImport(Darwin)
            let bundle = Bundle(for: Anchor.self)
        #else
            let bundle = Bundle.main
        #endif
        for path in [bundle.bundleURL] + CommandLine.arguments.map({ URL(fileURLWithPath: $0) }) {
            var folder = path
            for _ in 0..<5 {
                let file = folder.appendingPathComponent(name)
                var isFolder: ObjCBool = false
                let exists = FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
                if exists, !isFolder.boolValue { return file }
                folder.deleteLastPathComponent()
            }
        }
        return nil
    }

    private final class Anchor {}
}
