/// A pattern with stars for texts of segments with separators between them, such as paths and media types.
struct Glob: Sendable {
    private enum Token: Hashable {
        case byte(UInt8)
        /// `*`: any text without a separator.
        case withinSegment
        /// `**`: any text.
        case acrossSegments
        /// `**/` at the start of a segment: any number of segments, each with its slash.
        case segments
    }

    private let separators: String
    private var tokens: [Token] = []

    /// - Parameter crossesSegments: Whether `**` also matches separators. Otherwise, it means the same as `*`.
    init(_ text: Substring, separators: String = "/", crossesSegments: Bool = true) {
        self.separators = separators
        let star = UInt8(ascii: "*")
        let slash = UInt8(ascii: "/")
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == star else {
                tokens.append(.byte(byte))
                continue
            }
            let stars = 1 + rest.prefix { $0 == star }.count
            rest = rest.dropFirst(stars - 1)
            let startsSegment = tokens.isEmpty || tokens.last == .byte(slash) || tokens.last == .segments
            if stars == 1 || !crossesSegments {
                tokens.append(.withinSegment)
            } else if startsSegment, rest.first == slash {
                rest.removeFirst()
                if tokens.last != .segments { tokens.append(.segments) }
            } else {
                tokens.append(.acrossSegments)
            }
        }
    }

    /// Follows all possible matches in one pass, so that a pattern with many stars doesn't take exponential time.
    func matches(_ path: Substring) -> Bool {
        var rest = path.utf8[...]
        var literals = 0
        while literals < tokens.count, case .byte(let byte) = tokens[literals] {
            guard rest.popFirst() == byte else { return false }
            literals += 1
        }
        if literals == tokens.count { return rest.isEmpty }

        let nowhere = [Bool](repeating: false, count: tokens.count + 1)
        var reached = nowhere
        var next = nowhere
        reach(literals, in: &reached)
        for byte in rest {
            for position in nowhere.indices { next[position] = false }
            step(from: reached, over: byte, to: &next)
            swap(&reached, &next)
        }
        return reached[tokens.count]
    }

    private func step(from reached: [Bool], over byte: UInt8, to next: inout [Bool]) {
        let isSeparator = separators.utf8.contains(byte)
        for (position, token) in tokens.enumerated() where reached[position] {
            switch token {
            case .byte(let expected): if byte == expected { reach(position + 1, in: &next) }
            case .withinSegment: if !isSeparator { reach(position, in: &next) }
            case .acrossSegments: reach(position, in: &next)
            // Within a segment, the next token can't begin.
            case .segments: if isSeparator { reach(position, in: &next) } else { next[position] = true }
            }
        }
    }

    private func reach(_ position: Int, in reached: inout [Bool]) {
        reached[position] = true
        guard position < tokens.count else { return }
        switch tokens[position] {
        // These tokens also match empty text.
        case .withinSegment, .acrossSegments, .segments: reach(position + 1, in: &reached)
        case .byte: break
        }
    }
}
