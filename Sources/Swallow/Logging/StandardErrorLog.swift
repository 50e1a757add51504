import Foundation

extension Optional where Wrapped == @Sendable (LogEvent) -> Void {
    /// Returns a log that writes events as lines to standard error.
    ///
    /// Swallow writes one event after another. A line that can't be written is lost. A write may block its thread.
    ///
    /// ```swift
    /// service.log = .standardError(.debug)
    /// ```
    ///
    /// With `bodies`, the log also writes redacted cURL commands and bodies, and truncates each after 4 KiB. It writes
    /// only the size, if known, and the content type of bodies without a ``LogEvent/Response/bodyText``, for example of
    /// a streamed body, a body in a file, or a body of more than 1 MiB.
    ///
    /// - Parameters:
    ///   - level: The lowest level to write. The default is `info`. The cURL commands need `debug`.
    ///   - bodies: Whether to write bodies and cURL commands. The default is false.
    public static func standardError(_ level: LogEvent.Level = .info, bodies: Bool = false) -> Self {
        LineWriter.standardError.log(level, bodies: bodies)
    }
}

struct LineWriter: Sendable {
    // The lock keeps the lines of different threads apart, because the system may split a long write.
    private let file: Lock<FileHandle>

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
