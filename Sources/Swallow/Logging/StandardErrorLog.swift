import Foundation

extension Optional where Wrapped == @Sendable (LogEvent) -> Void {
    /// Returns a log that writes one line for each event to standard error.
    ///
    /// Each line starts with `Swallow: ` and is never mixed with the line of another thread. If a line can't be
    /// written, for example because standard error is closed, it is discarded without an error. A write blocks its
    /// thread if the reader of standard error is slow.
    ///
    /// ```swift
    /// service.log = .standardError(.debug)
    /// ```
    ///
    /// With `bodies`, more lines follow some events: the request's cURL command after `requestBuilt`, the request's
    /// body after `requestSent`, and the response's body after `responseReceived`. Bodies are redacted, and only JSON
    /// and forms are shown. For other bodies, the log shows the size and the content type. A body or command is
    /// truncated after 4 KB. Bodies of more than 1 MB, and bodies that are streamed or written to a file, aren't shown.
    ///
    /// - Parameters:
    ///   - level: The lowest level to write, by default `info`. The cURL commands need `debug`.
    ///   - bodies: Whether to write bodies and cURL commands. The default is false.
    public static func standardError(_ level: LogEvent.Level = .info, bodies: Bool = false) -> Self {
        LineWriter.standardError.log(level, bodies: bodies)
    }
}

struct LineWriter: Sendable {
    // Without the lock, lines of more than PIPE_BUF bytes could be mixed with another thread's lines.
    private let file: Lock<FileHandle>

    /// The only writer to standard error in the process, so that the lines of different services aren't mixed.
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
