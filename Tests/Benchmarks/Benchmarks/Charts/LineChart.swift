import Foundation

/// A line chart with two logarithmic axes. A horizontal line means that the cost doesn't grow.
struct LineChart {
    struct Line {
        let label: String
        /// The x and y values.
        let points: [(Double, Double)]
        let isOwn: Bool
    }

    let title: String
    let lines: [Line]
    /// The x values that have a label below the axis, with their labels.
    let marks: [(Double, String)]
    let value: (Double) -> String

    /// Draws the chart below the canvas's earlier elements. `height` is the height of the grid.
    func draw(on canvas: inout Canvas, height: Double = 170) {
        let (left, right) = (84.0, Canvas.width - 150)
        let places = lines.flatMap { $0.points.map { log($0.0) } }
        let values = lines.flatMap { $0.points.map { log10($0.1) } }
        guard let first = places.min(), let last = places.max(), let low = values.min(),
            let high = values.max()
        else { return }
        let (bottomPower, topPower) = (low.rounded(.down), max(high.rounded(.up), low.rounded(.down) + 1))

        canvas.y += 34
        canvas.text(title, x: 12, y: canvas.y, .note)
        let top = canvas.y + 18
        let bottom = top + height
        func x(_ place: Double) -> Double { left + (log(place) - first) / (last - first) * (right - left) }
        func y(_ value: Double) -> Double {
            bottom - (log10(value) - bottomPower) / (topPower - bottomPower) * height
        }
        for power in stride(from: bottomPower, through: topPower, by: 1) {
            let value = pow(10, power)
            canvas.line([(left, y(value)), (right, y(value))], power == bottomPower ? .axis : .grid)
            canvas.text(self.value(value), x: left - 10, y: y(value) + 5, .note, .end)
        }
        for (place, text) in marks {
            canvas.line([(x(place), bottom), (x(place), bottom + 5)], .axis)
            canvas.text(text, x: x(place), y: bottom + 22, .note, .middle)
        }
        for line in lines {
            canvas.line(line.points.map { (x($0.0), y($0.1)) }, line.isOwn ? .ownLine : .rivalLine)
            for point in line.points where line.isOwn { canvas.dot(x: x(point.0), y: y(point.1), .own) }
        }
        // Labels stand at the lines' ends. A label moves down if it would overlap the previous one.
        var free = top - 40
        for line in lines.sorted(by: { ($0.points.last?.1 ?? 0) > ($1.points.last?.1 ?? 0) }) {
            guard let end = line.points.last else { continue }
            let place = max(y(end.1) - 3, free)
            canvas.text(line.label, x: right + 12, y: place)
            canvas.text(value(end.1), x: right + 12, y: place + 18, .note)
            free = place + 42
        }
        canvas.y = bottom + 30
    }
}
