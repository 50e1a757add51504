/// Bars in groups, each with its label before and its figure behind it, all to one scale.
struct BarChart {
    struct Bar {
        let label: String
        let value: Double
        /// What stands behind the bar.
        let text: String
        /// What is said beside it, in small.
        var note = ""
        /// Whether it is Swallow's.
        let isOwn: Bool
    }

    let groups: [(title: String, bars: [Bar])]
    /// Where the bars begin.
    var start = 220.0
    /// The room behind the longest bar for its figure.
    var room = 150.0

    /// Draws it beneath what is there.
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
