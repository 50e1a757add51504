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
    /// With `bodies`, further lines follow some events: the request's cURL command after `requestBuilt`, the request's body after
    /// `requestSent`, and the response's body after `responseReceived`. Bodies are shown without secrets, and only JSON and
    /// forms. Of other bodies, the log shows the size and the content type. A body or command is cut off after 4 KB. Bodies
    /// of more than 1 MB, and bodies that are streamed or written to a file, aren't shown.
    ///
    /// - Parameters:
    ///   - level: Events below this level are left out; `info` by default. The cURL commands need `debug`.
    ///   - bodies: Whether to write bodies and cURL commands; false by default.
    public static func standardError(_ level: LogEvent.Level = .info, bodies: Bool = false) -> Self {
        LineWriter.standardError.log(level, bodies: bodies)
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

    func log(_ level: LogEvent.Level, bodies: Bool = false) -> @Sendable (LogEvent) -> Void {
        { event in
            guard event.level >= level else { return }
            let lines = [event.description] + (bodies ? event.bodyLines : [])
            write(lines.map { "Swallow: \($0)" }.joined(separator: "\n"))
        }
    }
}
