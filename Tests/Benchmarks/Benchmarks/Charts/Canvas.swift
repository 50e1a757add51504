import Foundation

/// An SVG image in the colors of the guide's drawn pictures, for light screens. `.ci/pictures` derives the dark
/// version.
struct Canvas {
    /// The style classes. `.ci/pictures` has a dark color for each.
    enum Class: String {
        case text, note, head, own, rival, line, ownLine, rivalLine, axis, grid
    }

    enum Anchor: String {
        case start, middle, end
    }

    let title: String
    /// The text that a screen reader reads aloud.
    let description: String
    static let width = 600.0
    private(set) var elements: [String] = []
    /// The y coordinate where the next element begins.
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

    /// Returns the image with a caption that states where and when the figures were measured.
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
    /// The number with one fraction digit, or with none if that digit is 0.
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
