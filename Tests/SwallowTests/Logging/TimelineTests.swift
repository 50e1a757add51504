import Foundation
import SwallowTesting
import Testing
import TestSupport

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Timeline")
struct TimelineTests {
    private static let start = Date(timeIntervalSince1970: 1_000_000)

    private static func bar(
        _ address: String = "h/a", method: String = "GET", from start: Double, to end: Double,
        status: Int? = 200, id: Int = 1, metrics: TransferMetrics? = nil
    ) -> Timeline.Bar {
        Timeline.Bar(
            id: id, method: method, address: address, start: Self.start + start, end: Self.start + end,
            status: status, hasFailed: status != 200, metrics: metrics)
    }

    private static func metrics(
        connect: Int? = nil, tls: Int? = nil, first: Int? = nil, last: Int? = nil
    ) -> TransferMetrics {
        var metrics = TransferMetrics(start: start)
        metrics.connectEnd = connect.map { .milliseconds($0) }
        metrics.secureConnectionEnd = tls.map { .milliseconds($0) }
        metrics.responseStart = first.map { .milliseconds($0) }
        metrics.responseEnd = last.map { .milliseconds($0) }
        return metrics
    }

    private static let examples: [Timeline.Bar] = [
        bar(
            "h.example/token", method: "POST", from: 0, to: 0.1,
            metrics: metrics(connect: 20, tls: 40, first: 80, last: 100)),
        bar("h.example/stores?zip=15217", from: 0.1, to: 0.4, metrics: metrics(first: 200, last: 300)),
        bar("h.example/missing", from: 0.1, to: 0.2, status: 404),
        bar("h.example/never", from: 0.1, to: 0.15, status: nil),
    ]

    @Test("Bars share an axis, and show the phases of the time if they are known")
    func chart() {
        let chart = TimelineChart(bars: Self.examples, width: 80, isColored: false)
        #expect(
            chart.lines == [
                "Swallow: 4 requests, 400.0 ms  ░ connect  ▒ TLS  ▓ wait  █ receive",
                "POST /token           ░░▒▒▓▓▓▓██                                    200 100.0 ms",
                "GET /stores?zip=15217           ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓██████████     200 300.0 ms",
                "GET /missing                    ███████████                        404! 100.0 ms",
                "GET /never                      █████                             failed 50.0 ms",
            ])
    }

    @Test(
        "No line is wider than the terminal, whatever the bars contain",
        arguments: [0, 1, 5, 19, 20, 40, 80, 200])
    func widths(width: Int) {
        let odd = [
            Self.bar(String(repeating: "x", count: 500), from: -5, to: 1e9, status: 200),
            Self.bar("ü\u{1B}[2J\n\u{202E}/日本", from: 0, to: 0, status: nil),
            Self.bar("", method: "", from: 0, to: 1e-9),
            Self.bar(from: 1, to: 2, metrics: Self.metrics(connect: 5000, first: 1, last: 90_000_000)),
        ]
        for line in TimelineChart(bars: odd + Self.examples, width: width, isColored: false).lines {
            #expect(line.count <= width)
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
        }
    }

    @Test("A request with a duration of zero has one column")
    func noTime() {
        let lines = TimelineChart(bars: [Self.bar(from: 0, to: 0)], width: 60, isColored: false).lines
        #expect(lines.count == 2)
        #expect(lines[1].contains("█"))
        #expect(TimelineChart(bars: [], width: 60, isColored: false).lines.isEmpty)
    }

    @Test("The time before the last attempt has its own mark")
    func attempts() {
        let bar = Self.bar(from: 0, to: 1, metrics: Self.metrics(first: 400, last: 500))
        let lines = TimelineChart(bars: [bar], width: 60, isColored: false).lines
        #expect(lines[1].filter { $0 == "╌" }.count == lines[1].filter { "▓█".contains($0) }.count)
    }

    @Test("Hosts are shown only if there are several")
    func hosts() {
        let bars = [Self.bar("a.example/x", from: 0, to: 1), Self.bar("b.example/x", from: 0, to: 1)]
        let lines = TimelineChart(bars: bars, width: 80, isColored: false).lines
        #expect(lines[1].hasPrefix("GET a.example/x ") && lines[2].hasPrefix("GET b.example/x "))
        #expect(
            TimelineChart(bars: [bars[0]], width: 80, isColored: false).lines[1].hasPrefix("GET /x "))
    }

    @Test("Colors don't change the text, and end with their line")
    func colours() {
        let plain = TimelineChart(bars: Self.examples, width: 80, isColored: false).lines
        let coloured = TimelineChart(bars: Self.examples, width: 80, isColored: true).lines
        #expect(coloured != plain)
        let escape = /\u{1B}\[[0-9]+m/
        #expect(coloured.map { $0.replacing(escape, with: "") } == plain)
        for line in coloured {
            #expect(line.matches(of: escape).last.map { $0.output == "\u{1B}[0m" } ?? true)
        }
        #expect(coloured[3].contains("\u{1B}[31m"))
    }

    @Test(
        "Colors are used only in terminals that support them",
        arguments: [
            (80, [:], 80, true), (80, ["NO_COLOR": "1"], 80, false), (80, ["NO_COLOR": ""], 80, true),
            (80, ["TERM": "dumb"], 80, false), (nil, [:], 100, false), (nil, ["TERM": "xterm"], 100, false),
        ] as [(Int?, [String: String], Int, Bool)])
    func terminals(columns: Int?, environment: [String: String], width: Int, isColored: Bool) {
        let terminal = Terminal(columns: columns, environment: environment)
        #expect(terminal.width == width)
        #expect(terminal.isColored == isColored)
    }

    private func events(_ prepare: (inout WebService) -> Void, status: Int = 200) async -> [LogEvent] {
        let events = Recorder<LogEvent>()
        var service = WebService.test(ManualDataSource(answersInResume: { $0.answer("[1]", status: status) }))
        service.log = { events.append($0) }
        prepare(&service)
        _ = await service.GET("/a?b=1").result
        return events.values
    }

    @Test("A request's bar extends from sending to completion")
    func bars() async throws {
        var timeline = Timeline()
        for event in await events({ _ in }) { timeline.add(event) }
        let bar = try #require(timeline.takeEnded().first)
        #expect(bar.method == "GET" && bar.address == "service.test/a?b=1")
        #expect(bar.status == 200 && !bar.hasFailed)
        #expect(timeline.isIdle && timeline.takeEnded().isEmpty)
        for event in await events({ _ in }, status: 500) { timeline.add(event) }
        let failed = timeline.takeEnded()
        #expect(failed.map(\.status) == [500] && failed.map(\.hasFailed) == [true])
    }

    @Test("Events have the time of the service's clock, and durations are measured by it")
    func clock() async throws {
        let clock = ManualClock()
        let events = Recorder<LogEvent>()
        let source = ManualDataSource()
        var service = WebService.test(source)
        service.clock = clock
        service.log = { events.append($0) }
        let start = clock.now
        let task = service.GET("/a")
        clock.advance(by: .seconds(90))
        await source.exchange.answer("[1]")
        _ = await task.result
        var timeline = Timeline()
        for event in events.values { timeline.add(event) }
        let bar = try #require(timeline.takeEnded().first)
        #expect(bar.start == start && bar.duration == .seconds(90))
        guard case .responseReceived(_, let response)? = events.values.first(where: { $0.isResponse }) else {
            Issue.record("no response was logged")
            return
        }
        #expect(response.duration == .seconds(90))
    }

    @Test("Running requests are drawn later, in the order of sending")
    func order() throws {
        let requests = try (1...3).map { try LogEvent.Request("https://h.example/\($0)", id: $0) }
        var timeline = Timeline()
        for request in requests { timeline.add(.requestSent(request)) }
        timeline.add(.responseReceived(requests[2], try .init()))
        timeline.add(.responseReceived(requests[1], try .init()))
        #expect(timeline.takeEnded().map(\.id) == [2, 3])
        #expect(!timeline.isIdle)
        timeline.add(.failed(requests[0], reason: "why"))
        #expect(timeline.isIdle)
        #expect(timeline.takeEnded().map(\.status) == [nil])
        timeline.add(.failed(requests[0], reason: "why"))
        #expect(timeline.takeEnded().isEmpty)
    }

    @Test("A request that is neither sent nor served by a cache isn't in the chart")
    func unsent() throws {
        var timeline = Timeline()
        for event in try everyEvent("x") {
            if case .requestSent = event { continue }
            if case .cacheUsed = event { continue }
            timeline.add(event)
        }
        #expect(timeline.isIdle && timeline.ended.isEmpty)
    }

    @Test("A chart is drawn when no request is running")
    func drawing() async throws {
        let pipe = Pipe()
        let log = TimelineLog(LineWriter(pipe.fileHandleForWriting), pause: .milliseconds(1)) {
            Terminal(columns: nil, environment: [:])
        }
        for event in await events({ _ in }) { log.add(event) }
        let text = try await onThread {
            String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        }
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("Swallow: 1 request, ") == true)
        #expect(lines.last?.hasPrefix("GET /a?b=1 ") == true)
    }

    @Test("The timeline can be set as a service's log")
    func spelling() {
        var service = WebService.test(ManualDataSource())
        service.log = .timeline()
        #expect(service.log != nil)
    }
}

extension LogEvent {
    fileprivate var isResponse: Bool { if case .responseReceived = self { true } else { false } }
}
