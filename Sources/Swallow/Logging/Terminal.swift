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

/// The capabilities of the terminal or file that output is written to.
struct Terminal: Sendable, Hashable {
    /// The number of columns in a line.
    let width: Int
    let isColored: Bool

    /// - Parameters:
    ///   - columns: The number of columns of a terminal. `nil` if the output is a pipe or a file.
    ///   - environment: The environment. `NO_COLOR`, unless it is empty, and `TERM=dumb` forbid colors (no-color.org).
    init(columns: Int?, environment: [String: String]) {
        width = columns ?? 100
        let isForbidden = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        isColored = columns != nil && !isForbidden && environment["TERM"] != "dumb"
    }

    /// The terminal behind standard error. It is read each time, because the user may have resized the window.
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
