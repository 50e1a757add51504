import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// What the reader of a file can show.
struct Terminal: Sendable, Hashable {
    /// How many columns a line has.
    let width: Int
    let isColored: Bool

    /// - Parameters:
    ///   - columns: how many a terminal has; nil where there is none, and what is written goes to a pipe or a file.
    ///   - environment: `NO_COLOR`, unless empty, and `TERM=dumb` forbid colours (no-color.org).
    init(columns: Int?, environment: [String: String]) {
        width = columns ?? 100
        let isForbidden = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        isColored = columns != nil && !isForbidden && environment["TERM"] != "dumb"
    }

    /// What stands behind standard error now: a window may have been made larger since.
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
