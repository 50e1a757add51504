import Foundation

/// An SVG in the style and the colours of the guide's drawn pictures, for light screens: `.ci/pictures` makes the dark one.
struct Canvas {
    /// The colours' roles; `.ci/pictures` knows each.
    enum Class: String {
        case text, note, head, own, rival, line, ownLine, rivalLine, axis, grid
    }

    enum Anchor: String {
        case start, middle, end
    }

    let title: String
    /// What somebody hears who doesn't see the chart.
    let description: String
    static let width = 600.0
    private(set) var elements: [String] = []
    /// How far down the next thing begins.
    var y = 30.0

    init(title: String, description: String) {
        (self.title, self.description) = (title, description)
        text(title, x: 12, y: y, .head)
    }

    mutating func text(
        _ text: String, x: Double, y: Double, _ style: Class = .text, _ anchor: Anchor = .start
    ) {
        let anchoring = anchor == .start ? "" : #" text-anchor="\#(anchor)""#
        elements.append(
            #"<text class="\#(style)" x="\#(x.short)" y="\#(y.short)"\#(anchoring)>\#(text.escaped)</text>"#)
    }

    mutating func bar(x: Double, y: Double, width: Double, height: Double, _ style: Class) {
        elements.append(
            #"<rect class="\#(style)" x="\#(x.short)" y="\#(y.short)" width="\#(max(1, width).short)" height="\#(height.short)" rx="3"/>"#
        )
    }

    mutating func line(_ points: [(x: Double, y: Double)], _ style: Class) {
        let path = points.map { "\($0.x.short) \($0.y.short)" }.joined(separator: "L")
        elements.append(#"<path class="\#(style)" d="M\#(path)"/>"#)
    }

    mutating func dot(x: Double, y: Double, _ style: Class) {
        elements.append(#"<circle class="\#(style)" cx="\#(x.short)" cy="\#(y.short)" r="5"/>"#)
    }

    /// The whole picture, with the circumstances beneath.
    func svg(_ circumstances: Circumstances?) -> String {
        var canvas = self
        canvas.y += 12
        if let circumstances {
            let programs = [circumstances.swift, circumstances.curl].compactMap { $0 }
            let words = [circumstances.machine, circumstances.system] + programs + [circumstances.date]
            canvas.y += 14
            canvas.text(words.joined(separator: " · "), x: 12, y: canvas.y, .note)
            canvas.y += 16
        }
        let size = (Self.width.short, canvas.y.short)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(size.0)" height="\(size.1)" viewBox="0 0 \(size.0) \(size.1)" role="img" aria-labelledby="title desc">
              <title id="title">\(title.escaped)</title>
              <desc id="desc">\(description.escaped)</desc>
              <style>
                svg { font: 16px system-ui, -apple-system, "Segoe UI", Helvetica, "DejaVu Sans", sans-serif; fill: #1d2733 }
                .head { font-weight: bold } .note { fill: #55636f; font-size: 14px }
                .own { fill: #2f6db3 } .rival { fill: #c3cdd8 }
                .ownLine { fill: none; stroke: #2f6db3; stroke-width: 3 } .rivalLine { fill: none; stroke: #55636f; stroke-width: 3 }
                .axis { fill: none; stroke: #55636f; stroke-width: 1.5 } .grid { fill: none; stroke: #c3cdd8; stroke-width: 1 }
              </style>
              \(canvas.elements.joined(separator: "\n  "))
            </svg>

            """
    }
}

extension Double {
    /// With one digit where it isn't whole.
    fileprivate var short: String {
        let text = String(format: "%.1f", self)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension String {
    fileprivate var escaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
