import Dispatch
import Foundation

extension Optional where Wrapped == @Sendable (LogEvent) -> Void {
    /// Returns a log that draws completed requests as bars on standard error. The bars of a chart share a time axis.
    ///
    /// The log draws a chart soon after the last request has completed, or about two seconds after the last event if a
    /// request is still running. It also draws when 50 requests have completed, and when the process exits. With
    /// ``TransferMetrics``, a bar shows its request's phases. `NO_COLOR` disables colors.
    ///
    /// ```swift
    /// service.log = .timeline()
    /// ```
    public static func timeline() -> Self {
        let log = TimelineLog(.standardError) { .standardError }
        TimelineLog.drawAtExit(log)
        return { event in log.add(event) }
    }
}

final class TimelineLog: Sendable {
    private struct State: Sendable {
        var timeline = Timeline()
        var eventCount = 0
    }

    private static let limit = 50

    private let writer: LineWriter
    private let terminal: @Sendable () -> Terminal
    private let pause: TimeInterval
    private let state = Lock(State())

    init(
        _ writer: LineWriter, pause: TimeInterval = 0.25,
        _ terminal: @escaping @Sendable () -> Terminal
    ) {
        self.writer = writer
        self.pause = pause
        self.terminal = terminal
    }

    /// Draws soon if no request is running, and later otherwise, unless another event arrives before.
    func add(_ event: LogEvent) {
        let (endedCount, isIdle, eventCount) = state.withLock { state in
            state.timeline.add(event)
            state.eventCount += 1
            return (state.timeline.ended.count, state.timeline.isIdle, state.eventCount)
        }
        if endedCount >= Self.limit { return draw() }
        if endedCount == 0 { return }
        DispatchQueue.utility.asyncAfter(deadline: .now() + (isIdle ? pause : 8 * pause)) { [self] in
            if state.withLock({ $0.eventCount == eventCount }) { draw() }
        }
    }

    func draw() {
        let bars = state.withLock { $0.timeline.takeEnded() }
        if bars.isEmpty { return }
        let terminal = terminal()
        let chart = TimelineChart(bars: bars, width: terminal.width, isColored: terminal.isColored)
        writer.write(chart.lines.joined(separator: "\n"))
    }
}

extension TimelineLog {
    // A command-line tool often exits before the log has drawn its last requests.
    private static let drawnAtExit: Lock<[Reference]> = {
        atexit { TimelineLog.drawAll() }
        return Lock([])
    }()

    private struct Reference: Sendable {
        weak let log: TimelineLog?
    }

    fileprivate static func drawAtExit(_ log: TimelineLog) {
        drawnAtExit.withLock { references in
            references.removeAll { $0.log == nil }
            references.append(Reference(log: log))
        }
    }

    private static func drawAll() {
        for reference in drawnAtExit.withLock({ $0 }) { reference.log?.draw() }
    }
}

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
