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
        var isLooking = false
    }

    private static let limit = 50
    private static let longestWait = 8

    private let writer: LineWriter
    private let terminal: @Sendable () -> Terminal
    private let pause: DispatchTimeInterval
    private let state = Lock(State())

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
