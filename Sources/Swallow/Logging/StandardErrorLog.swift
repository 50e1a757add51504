import Foundation

extension Optional where Wrapped == @Sendable (LogEvent) -> Void {
    /// A log that writes one line for each event to standard error.
    ///
    /// Each line is written whole, whichever threads write at once, and starts with `Swallow: `. What can't
    /// be written, for instance because standard error is closed, is lost without a word. A write blocks its
    /// thread where the reader at the other end is slow.
    ///
    /// ```swift
    /// service.log = .standardError(.debug)
    /// ```
    ///
    /// - Parameter level: events below this level are left out; `info` by default.
    public static func standardError(_ level: LogEvent.Level = .info) -> Self {
        LineWriter.standardError.log(level)
    }
}

/// Writes lines to a file, one write each.
struct LineWriter: Sendable {
    // A line of more than PIPE_BUF bytes can be torn apart by another thread's. Nothing but the system is
    // called under the lock.
    private let file: Lock<FileHandle>

    /// The one writer to standard error, so that the lines of all services stay whole.
    static let standardError = LineWriter(.standardError)

    init(_ file: FileHandle) {
        self.file = Lock(file)
    }

    func write(_ line: String) {
        let data = Data("\(line)\n".utf8)
        file.withLock { file in try? file.write(contentsOf: data) }
    }

    func log(_ level: LogEvent.Level) -> @Sendable (LogEvent) -> Void {
        { event in
            if event.level >= level { write("Swallow: \(event)") }
        }
    }
}
