import Foundation

/// The guide's charts, drawn from a file that `--json` wrote.
enum Charts {
    /// Returns the name of each chart's file, without its extension, and the SVG text.
    static func all(of results: Results) -> [(name: String, svg: String)] {
        [
            ("chart-requests", requests(results)), ("chart-json", json(results)),
            ("chart-growth", growth(results)), ("chart-memory", memory(results)),
        ]
        .map { ($0.0, $0.1.svg(results.circumstances)) }
    }

    static func write(_ results: Results, into folder: URL) throws {
        for (name, svg) in all(of: results) {
            try Data(svg.utf8).write(to: folder.appending(path: "\(name).svg"))
        }
    }

    private static func requests(_ results: Results) -> Canvas {
        let contenders = [
            ("curl -Z", "curl -Z", false), ("Swallow, await data", "await data", true),
            ("Swallow, await decoded", "await decoded", true),
            ("URLSession", "URLSession, data(from:)", false),
        ]
        let groups = [("one at a time", 1), ("8 at once", 8), ("64 at once", 64)].map { title, width in
            let benchmark = "sockets: GET of 2 KB of JSON, \(width) at once"
            return (
                title,
                contenders.map { label, row, isOwn in
                    let time = results.microseconds(benchmark, row)
                    return BarChart.Bar(label: label, value: time, text: microseconds(time), isOwn: isOwn)
                }
            )
        }
        var canvas = Canvas(
            title: "CPU time of a GET of 2 KB of JSON",
            description:
                "The curl program, Swallow and URLSession. "
                + groups.map { "\($0.0): " + $0.1.map { "\($0.label) \($0.text)" }.joined(separator: ", ") }
                .joined(separator: "; "))
        BarChart(groups: groups, start: 220, room: 90).draw(on: &canvas)
        return canvas
    }

    private static func json(_ results: Results) -> Canvas {
        func group(_ title: String, _ benchmark: String, _ rival: String, _ own: String) -> (
            String, [BarChart.Bar]
        ) {
            let corpora = results.rows(of: benchmark).filter { $0.hasSuffix(": " + rival) }
            let bars = corpora.map { row in
                let corpus = row.dropLast(rival.count + 2)
                let (theirs, ours) = (
                    results.microseconds(benchmark, row), results.microseconds(benchmark, "\(corpus): \(own)")
                )
                let speed = results.result(benchmark, "\(corpus): \(own)")
                return BarChart.Bar(
                    label: String(corpus), value: speed,
                    text: String(format: speed < 10 ? "%.1f ×" : "%.0f ×", speed),
                    note: "\(milliseconds(ours)) beside \(milliseconds(theirs))", isOwn: true)
            }
            return (title, bars)
        }
        let groups = [
            group(
                "parsing: JSON(parsing:) beside JSONSerialization", "JSON: parse", "JSONSerialization",
                "JSON(parsing:)"),
            group(
                "models: JSON(parsing:).decode beside JSONDecoder",
                "JSON: Decodable into full models, parsing included", "JSONDecoder", "JSON(parsing:).decode"),
            group(
                "models written: Encoding.codable beside JSONEncoder", "JSON: Encodable models written",
                "JSONEncoder", "Encoding.codable"),
        ]
        var canvas = Canvas(
            title: "How many times as fast as Foundation JSON is read and written",
            description: groups.map { title, bars in
                "\(title): " + bars.map { "\($0.label) \($0.text), \($0.note)" }.joined(separator: "; ")
            }.joined(separator: ". "))
        BarChart(groups: groups, start: 190, room: 240).draw(on: &canvas)
        return canvas
    }

    private static func growth(_ results: Results) -> Canvas {
        let widths = [1, 8, 64, 512, 4096]
        func transport(_ label: String, _ name: String, isOwn: Bool) -> LineChart.Line {
            let points = widths.map { width in
                (Double(width), results.microseconds("transport: growth of \(name)", "\(width) in flight"))
            }
            return LineChart.Line(label: label, points: points, isOwn: isOwn)
        }
        let sizes = [1, 10, 100, 1_000, 10_000, 100_000]
        let parsing = sizes.map { size in
            // The time in microseconds per 1,000 bytes is the time in nanoseconds per byte.
            (
                Double(size),
                results.microseconds("JSON: growth of parsing, per byte", "\(size) KB, of which each costs")
            )
        }
        let charts = [
            LineChart(
                title: "a GET of 2 KB, by how many are in flight",
                lines: [
                    transport("CurlDataSource", "CurlDataSource", isOwn: true),
                    transport("URLSession", "URLSession", isOwn: false),
                ],
                marks: widths.map { (Double($0), "\($0)") }, value: microseconds),
            LineChart(
                title: "a byte of JSON, by the document's size",
                lines: [LineChart.Line(label: "JSON(parsing:)", points: parsing, isOwn: true)],
                marks: zip(sizes, ["1 KB", "10 KB", "100 KB", "1 MB", "10 MB", "100 MB"]).map {
                    (Double($0), $1)
                },
                value: { String(format: $0 < 10 ? "%.1f ns" : "%.0f ns", $0) }),
        ]
        var canvas = Canvas(
            title: "CPU time, by how much there is",
            description: charts.map { chart in
                "\(chart.title): "
                    + chart.lines.map { line in
                        let first = line.points.first.map { chart.value($0.1) } ?? ""
                        let last = line.points.last.map { chart.value($0.1) } ?? ""
                        return "\(line.label) from \(first) to \(last)"
                    }.joined(separator: ", ")
            }.joined(separator: "; "))
        for chart in charts { chart.draw(on: &canvas) }
        return canvas
    }

    private static func memory(_ results: Results) -> Canvas {
        let heap = "bytes per in-flight task"
        let tasks = [
            ("URLRequest", "URLRequest, kept", false), ("task", "task without a handler", true),
            ("task with a handler", "task with one response(queue)", true),
        ]
        .map { label, row, isOwn in
            let bytes = results.result(heap, row)
            return BarChart.Bar(
                label: label, value: bytes, text: String(format: "%.1f KB", bytes / 1000), isOwn: isOwn)
        }
        let parsing = "JSON: peak memory of parsing"
        let documents = ["posts", "catalogue", "coordinates", "answer"].flatMap { corpus in
            [("JSON(parsing:)", true), ("JSONSerialization", false)].map { name, isOwn in
                let ratio = results.result(parsing, "\(corpus), 50 MB of it: \(name)")
                return BarChart.Bar(
                    label: "\(corpus), \(isOwn ? "Swallow" : "Foundation")", value: ratio,
                    text: String(format: "%.1f ×", ratio), isOwn: isOwn)
            }
        }
        var canvas = Canvas(
            title: "Memory",
            description: "Heap in flight: " + tasks.map { "\($0.label) \($0.text)" }.joined(separator: ", ")
                + ". Peak while parsing 50 MB: "
                + documents.map { "\($0.label) \($0.text)" }.joined(separator: ", "))
        BarChart(
            groups: [("heap of a request in flight, the transport's aside", tasks)], start: 220, room: 90
        )
        .draw(on: &canvas)
        BarChart(
            groups: [("peak while parsing 50 MB, as a multiple of the text", documents)], start: 220, room: 90
        )
        .draw(on: &canvas)
        return canvas
    }

    private static func microseconds(_ time: Double) -> String {
        if time >= 9_999.5 { return String(format: "%.0f ms", time / 1000) }
        return String(format: time < 9.95 ? "%.1f µs" : "%.0f µs", time)
    }

    private static func milliseconds(_ microseconds: Double) -> String {
        if microseconds < 99.5 {
            return String(format: microseconds < 9.95 ? "%.1f µs" : "%.0f µs", microseconds)
        }
        let time = microseconds / 1000
        return String(format: time < 0.995 ? "%.2f ms" : time < 9.95 ? "%.1f ms" : "%.0f ms", time)
    }
}
