import Foundation
import Swallow

/// A process that a test starts. It is aborted after five minutes.
///
/// On Linux with Swift 6.3, Foundation's `Process` sometimes reads past the end of a page if many files are open, and
/// ends the tests with a signal.
package struct ChildProcess: Sendable {
    package let identifier: pid_t
    package let output: FileHandle
    private let limit: ScheduledWork

    /// - Parameter environment: Variables that are added to this process's environment.
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
        // The child must inherit no pipe or socket of another test. Otherwise it would keep it open, and a test that
        // waits for its end would hang.
        #if canImport(Darwin)
            var attributes: posix_spawnattr_t?
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
            posix_spawn_file_actions_addinherit_np(&actions, 2)
        #else
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            // Other threads may open more descriptors before the process starts.
            for descriptor in 3...Self.lastDescriptor() + 256 {
                posix_spawn_file_actions_addclose(&actions, descriptor)
            }
        #endif
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let words = ([executable.path] + arguments).map { strdup($0) }
        let settings = variables.map { strdup("\($0)=\($1)") }
        defer { (words + settings).forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawn(
            &identifier, executable.path, &actions, &attributes, words + [nil], settings + [nil])
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        try pipe.fileHandleForWriting.close()
        self.identifier = identifier
        limit = SystemClock.system.schedule(after: .seconds(300)) { [identifier] in
            _ = Foundation.kill(identifier, SIGABRT)
        }
        output = pipe.fileHandleForReading
    }

    private static func lastDescriptor() -> Int32 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        return names.compactMap(Int32.init).max() ?? 1024
    }

    package func kill() {
        _ = Foundation.kill(identifier, SIGKILL)
    }

    /// Waits on its own thread until the process ends, and returns its status, or the negative number of a signal.
    /// May be called once.
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

    /// An executable that is built next to the tests.
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
