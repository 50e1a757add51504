/// A bar chart. Bars are grouped, and all groups share one scale.
struct BarChart {
    struct Bar {
        let label: String
        let value: Double
        /// The figure, drawn after the bar.
        let text: String
        /// A remark in small type, drawn at the right edge.
        var note = ""
        /// Whether the bar shows a figure of Swallow.
        let isOwn: Bool
    }

    let groups: [(title: String, bars: [Bar])]
    var start = 220.0
    /// The space reserved for the figure after the longest bar.
    var room = 150.0

    /// Draws the chart below the canvas's earlier elements.
    func draw(on canvas: inout Canvas) {
        let longest = groups.flatMap(\.bars).map(\.value).max() ?? 1
        let scale = (Canvas.width - start - room) / max(longest, .leastNormalMagnitude)
        for (title, bars) in groups {
            canvas.y += 34
            canvas.text(title, x: 12, y: canvas.y, .note)
            canvas.y += 8
            for bar in bars {
                let length = bar.value * scale
                canvas.text(bar.label, x: start - 10, y: canvas.y + 17, .text, .end)
                canvas.bar(x: start, y: canvas.y + 2, width: length, height: 20, bar.isOwn ? .own : .rival)
                let end = start + max(1, length) + 8
                canvas.text(bar.text, x: end, y: canvas.y + 17)
                if !bar.note.isEmpty {
                    canvas.text(bar.note, x: Canvas.width - 12, y: canvas.y + 17, .note, .end)
                }
                canvas.y += 27
            }
        }
    }
}
