import Foundation

extension Optional where Wrapped == @Sendable (LogEvent) -> Void {
    /// Returns a log that writes one line for each event to standard error.
    ///
    /// Lines of several threads are never mixed. A line that can't be written is discarded without an error. A write
    /// blocks its thread if the reader of standard error is slow.
    ///
    /// ```swift
    /// service.log = .standardError(.debug)
    /// ```
    ///
    /// With `bodies`, redacted cURL commands and bodies follow, each truncated after 4 KB. The log shows only the size
    /// and the content type of a body that isn't JSON, a form or an event stream, that has more than 1 MB, or that is
    /// streamed or written to a file.
    ///
    /// - Parameters:
    ///   - level: The lowest level to write, by default `info`. The cURL commands need `debug`.
    ///   - bodies: Whether to write bodies and cURL commands. `false` by default.
    public static func standardError(_ level: LogEvent.Level = .info, bodies: Bool = false) -> Self {
        LineWriter.standardError.log(level, bodies: bodies)
    }
}

struct LineWriter: Sendable {
    // Without the lock, lines of more than PIPE_BUF bytes could be mixed with another thread's lines.
    private let file: Lock<FileHandle>

    /// All services share this writer, so that their lines aren't mixed.
    static let standardError = LineWriter(.standardError)

    init(_ file: FileHandle) {
        self.file = Lock(file)
    }

    func write(_ line: String) {
        let data = Data("\(line)\n".utf8)
        file.withLock { file in try? file.write(contentsOf: data) }
    }

    func log(_ level: LogEvent.Level, bodies: Bool = false) -> @Sendable (LogEvent) -> Void {
        { event in
            guard event.level >= level else { return }
            let lines = [event.description] + (bodies ? event.bodyLines : [])
            write(lines.map { "Swallow: \($0)" }.joined(separator: "\n"))
        }
    }
}
