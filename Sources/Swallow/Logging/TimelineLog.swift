import Dispatch
import Foundation

extension Optional where Wrapped == @Sendable (LogEvent) -> Void {
    /// A log that draws requests as bars on a common time axis, on standard error: one line each, in at most the
    /// terminal's width.
    ///
    /// Requests are drawn together once none has been under way for a quarter of a second. Where the data source has
    /// ``TransferMetrics``, a bar shows how its time was spent. Lines have colours on a terminal, unless `NO_COLOR`
    /// is set; in a pipe or a file they have none, and 100 columns.
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

/// Collects the requests of a chain, and draws them when it is over.
final class TimelineLog: Sendable {
    private struct State: Sendable {
        var timeline = Timeline()
        /// How many events there were.
        var eventCount = 0
        /// Whether a caller waits for the end of the chain.
        var isLooking = false
    }

    /// This many ended requests are drawn even if others are under way.
    private static let limit = 50
    /// For how many pauses the ended requests wait for those under way.
    private static let longestWait = 8

    private let writer: LineWriter
    private let terminal: @Sendable () -> Terminal
    private let pause: DispatchTimeInterval
    private let state = Lock(State())

    /// - Parameter pause: how long nothing happens when a chain is over.
    init(
        _ writer: LineWriter, pause: DispatchTimeInterval = .milliseconds(250),
        _ terminal: @escaping @Sendable () -> Terminal
    ) {
        self.writer = writer
        self.pause = pause
        self.terminal = terminal
    }

    func add(_ event: LogEvent) {
        let (isFull, looks, eventCount) = state.withLock { state in
            state.timeline.add(event)
            state.eventCount += 1
            let ended = state.timeline.ended.count
            let looks = ended > 0 && !state.isLooking
            if looks { state.isLooking = true }
            return (ended >= Self.limit, looks, state.eventCount)
        }
        if isFull { draw() }
        if looks { look(after: eventCount, pauses: 1) }
    }

    /// Looks after a pause whether anything has happened since an event, and draws if not.
    private func look(after event: Int, pauses: Int) {
        DispatchQueue.utility.asyncAfter(deadline: .now() + pause) { [self] in
            let (isOver, eventCount) = state.withLock { state in
                let isQuiet = state.eventCount == event
                let isOver = isQuiet && (state.timeline.isIdle || pauses >= Self.longestWait)
                if isOver { state.isLooking = false }
                return (isOver, state.eventCount)
            }
            if isOver {
                draw()
            } else {
                look(after: eventCount, pauses: eventCount == event ? pauses + 1 : 1)
            }
        }
    }

    /// Draws the requests that have ended.
    func draw() {
        let bars = state.withLock { $0.timeline.takeEnded() }
        if bars.isEmpty { return }
        let terminal = terminal()
        let chart = TimelineChart(bars: bars, width: terminal.width, isColored: terminal.isColored)
        writer.write(chart.lines.joined(separator: "\n"))
    }
}

// MARK: - The end of the process

extension TimelineLog {
    // A tool's process often ends before the pause is over, and nothing else sees that end.
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
