import Foundation

struct Terminal: Sendable, Hashable {
    let width: Int
    let isColored: Bool

    /// - Parameter columns: The terminal's width. `nil` for a pipe or a file, which has no colors.
    init(columns: Int?, environment: [String: String]) {
        width = columns ?? 100
        let isForbidden = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        isColored = columns != nil && !isForbidden && environment["TERM"] != "dumb"
    }

    static var standardError: Terminal {
        Terminal(columns: columns(of: STDERR_FILENO), environment: ProcessInfo.processInfo.environment)
    }

    private static func columns(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
