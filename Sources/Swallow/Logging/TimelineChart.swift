import Foundation

struct TimelineChart {
    let bars: [Timeline.Bar]
    let width: Int
    let isColored: Bool

    /// A part of a bar. The color is the number of an ANSI escape sequence.
    struct Phase: Hashable {
        fileprivate let name: String
        fileprivate let glyph: Character
        fileprivate let color: Int

        static let before = Phase(name: "before", glyph: "╌", color: 90)
        static let connecting = Phase(name: "connect", glyph: "░", color: 36)
        static let handshake = Phase(name: "TLS", glyph: "▒", color: 35)
        static let waiting = Phase(name: "wait", glyph: "▓", color: 33)
        static let receiving = Phase(name: "receive", glyph: "█", color: 32)
        static let cache = Phase(name: "cache", glyph: "▪", color: 34)
        static let complete = Phase(name: "complete", glyph: "█", color: 32)

        fileprivate static let explained = [before, connecting, handshake, waiting, receiving, cache]
    }

    var lines: [String] {
        guard let first = bars.map(\.start).min(), let last = bars.map(\.end).max(), width >= 2 else {
            return []
        }
        let (labels, results) = (labels, bars.map(result))
        let layout = Layout(
            width: width, longest: labels.map(\.count).max() ?? 0, result: results.map(\.count).max() ?? 0)
        let span = last.timeIntervalSince(first)
        let lines = bars.indices.map { index in
            let columns = columns(of: bars[index], from: first, span, layout.chart)
            return layout.fitted(labels[index], layout.label) + " " + text(of: columns, bars[index])
                + " " + layout.aligned(results[index], layout.result)
        }
        return [title(span, layout)] + lines
    }

    private func title(_ span: TimeInterval, _ layout: Layout) -> String {
        let count = bars.count == 1 ? "1 request" : "\(bars.count) requests"
        let phases = Set(
            bars.flatMap { Self.parts(of: $0).filter { $0.length > 0 || $0.phase == .cache }.map(\.phase) })
        let legend = Phase.explained.filter(phases.contains).map { "\($0.glyph) \($0.name)" }
        let title = (["Swallow: \(count), \(Duration(clamping: span).shortText)"] + legend)
            .joined(separator: "  ")
        return String(title.prefix(max(0, width)))
    }

    private var labels: [String] {
        let hosts = Set(bars.map { $0.address.prefix { $0 != "/" && $0 != "?" } })
        return bars.map { bar in
            let path = bar.address.drop { $0 != "/" && $0 != "?" }
            let address = hosts.count > 1 ? bar.address[...] : path.isEmpty ? "/" : path
            return Self.plain("\(bar.method) \(address)")
        }
    }

    /// Replaces all but printable ASCII by `?`, so that each character takes one column and can't control the terminal.
    private static func plain(_ text: String) -> String {
        String(
            decoding: text.unicodeScalars.map { scalar in
                (0x20..<0x7F).contains(scalar.value) ? UInt8(scalar.value) : UInt8(ascii: "?")
            }, as: UTF8.self)
    }

    private func result(of bar: Timeline.Bar) -> String {
        let status = bar.status.map { bar.hasFailed ? "\($0)!" : "\($0)" }
        let isFailure = status == nil && (bar.cache == nil || bar.cache == "miss")
        let words = [isFailure ? "failed" : status, bar.cache, bar.isUnsent ? nil : bar.duration.shortText]
        return words.compactMap { $0 }.joined(separator: " ")
    }
}

extension TimelineChart {
    static func parts(of bar: Timeline.Bar) -> [(phase: Phase, length: TimeInterval)] {
        let complete = bar.duration.seconds
        if bar.isUnsent { return [(.cache, complete)] }
        guard let metrics = bar.metrics, let end = (metrics.responseEnd ?? metrics.responseStart)?.seconds
        else {
            return [(.complete, complete)]
        }
        // The metrics' times begin with the last request. A difference below a millisecond may come from the clocks.
        var parts: [(Phase, TimeInterval)] = [(.before, complete - end < 0.001 ? 0 : complete - end)]
        var position: TimeInterval = 0
        for (phase, time) in [
            (Phase.connecting, metrics.connectEnd ?? metrics.domainLookupEnd),
            (.handshake, metrics.secureConnectionEnd),
            (.waiting, metrics.responseStart), (.receiving, metrics.responseEnd),
        ] {
            guard let time = time?.seconds, time > position else { continue }
            parts.append((phase, time - position))
            position = time
        }
        return parts
    }

    private func columns(
        of bar: Timeline.Bar, from first: Date, _ span: TimeInterval, _ count: Int
    ) -> [Phase?] {
        guard count > 0 else { return [] }
        var columns = [Phase?](repeating: nil, count: count)
        let scale = span > 0 ? Double(count) / span : 0
        func column(_ time: TimeInterval) -> Int {
            Int(min(Double(count), max(0, (time * scale).rounded())))
        }
        var time = bar.start.timeIntervalSince(first)
        let start = min(column(time), count - 1)
        let parts = Self.parts(of: bar)
        columns[start] = parts.max { $0.length < $1.length }?.phase
        for part in parts {
            let end = max(start, column(time + part.length))
            for index in max(start, column(time))..<max(start, column(time), end) {
                columns[index] = part.phase
            }
            time += part.length
        }
        return columns
    }

    private func text(of columns: [Phase?], _ bar: Timeline.Bar) -> String {
        guard isColored else { return String(columns.map { $0?.glyph ?? " " }) }
        var text = ""
        var color = 0
        for phase in columns {
            let next = phase.map { bar.hasFailed ? 31 : $0.color } ?? 0
            if next != color { text += "\u{1B}[\(next)m" }
            color = next
            text.append(phase?.glyph ?? " ")
        }
        return color == 0 ? text : text + "\u{1B}[0m"
    }
}

private struct Layout {
    let label: Int
    let chart: Int
    let result: Int

    init(width: Int, longest: Int, result longestResult: Int) {
        result = min(max(16, longestResult), max(0, width / 3))
        label = min(longest, max(0, width * 2 / 5))
        chart = max(0, width - label - result - 2)
    }

    func fitted(_ text: String, _ width: Int) -> String {
        if text.count <= width { return text + String(repeating: " ", count: width - text.count) }
        if width < 5 { return String(text.prefix(width)) }
        return text.prefix(width - 3 - (width - 3) / 2) + "..." + text.suffix((width - 3) / 2)
    }

    func aligned(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text.prefix(width)
    }
}
