import Foundation

/// A progress line on standard error. A terminal shows only the latest line. A file or pipe receives one line for each
/// step.
struct Progress {
    private let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1

    func show(_ text: String) {
        write(isTerminal ? "\r\u{1B}[K\(text)" : "\(text)\n")
    }

    /// Clears the line.
    func end() {
        if isTerminal { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
