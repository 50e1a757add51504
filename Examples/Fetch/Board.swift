import Foundation
import Swallow

/// Shows the progress of the transfers. A terminal shows a bar for each transfer. A pipe receives a line for each
/// completed transfer.
@MainActor
final class Board {
    private let isTerminal = isatty(FileHandle.standardOutput.fileDescriptor) == 1
    private var tasks: [(name: String, task: ServiceTask)] = []
    /// The number of bars on the screen.
    private var drawn = 0

    func add(_ name: String, _ task: ServiceTask) {
        tasks.append((name, task))
    }

    /// Removes a transfer's bar and writes its result.
    func end(_ name: String, _ text: String) {
        tasks.removeAll { $0.name == name }
        tell(name, text)
    }

    /// Writes a line above the bars.
    func tell(_ name: String, _ text: String) {
        write(clearing + Self.column(name) + text + "\n")
        drawBars()
    }

    /// Draws the bars ten times a second, until its Swift task is cancelled.
    func draw() async {
        while isTerminal, !Task.isCancelled {
            drawBars()
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func drawBars() {
        guard isTerminal else { return }
        let bars = tasks.map { Self.column($0.name) + Self.bar($0.task.progress) }
        write(clearing + bars.map { $0 + "\n" }.joined())
        drawn = bars.count
    }

    /// The text that removes the bars from the screen.
    private var clearing: String {
        defer { drawn = 0 }
        return drawn > 0 ? "\u{1B}[\(drawn)A\u{1B}[J" : ""
    }

    private static func bar(_ progress: TransferProgress) -> String {
        let width = 24
        let done = Int((progress.fraction ?? 0) * Double(width))
        var text = String(repeating: "█", count: done) + String(repeating: "░", count: width - done)
        text += "  " + self.text(bytes: progress.received + progress.sent)
        if let speed = progress.bytesPerSecond { text += "  \(self.text(bytes: Int64(speed)))/s" }
        if let left = progress.timeLeft { text += "  \(left.components.seconds) s left" }
        return text
    }

    private static func column(_ name: String) -> String {
        name + String(repeating: " ", count: max(1, 14 - name.count))
    }

    /// Returns the size in megabytes, with one decimal digit.
    static func text(bytes: Int64) -> String {
        let tenths = (bytes + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) MB"
    }

    private func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
