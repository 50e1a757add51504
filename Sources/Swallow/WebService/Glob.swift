/// A path pattern taken apart into literal bytes and wildcards.
struct Glob: Sendable {
    private enum Token: Hashable {
        case byte(UInt8)
        /// `*`: any text without a slash.
        case withinSegment
        /// `**`: any text.
        case acrossSegments
        /// `**/` at the start of a segment: nothing, or any number of whole segments. It is followed by
        /// `segments`, the state of being inside of them.
        case optionalSegments
        case segments
    }

    private let tokens: [Token]

    init(_ text: Substring) {
        var tokens: [Token] = []
        var rest = Array(text.utf8)[...]
        let star = UInt8(ascii: "*")
        let slash = UInt8(ascii: "/")
        while let byte = rest.popFirst() {
            guard byte == star else {
                tokens.append(.byte(byte))
                continue
            }
            guard rest.first == star else {
                tokens.append(.withinSegment)
                continue
            }
            rest.removeFirst()
            let startsSegment = tokens.isEmpty || tokens.last == .byte(slash)
            if startsSegment, rest.first == slash {
                rest.removeFirst()
                tokens += [.optionalSegments, .segments]
            } else {
                tokens.append(.acrossSegments)
            }
        }
        self.tokens = tokens
    }

    /// Whether the whole path matches. All ways to match advance together, one byte at a time, so no pattern
    /// takes longer than its length times the path's.
    func matches(_ path: Substring) -> Bool {
        var rest = path.utf8[...]
        var literals = 0
        while literals < tokens.count, case .byte(let byte) = tokens[literals] {
            guard rest.popFirst() == byte else { return false }
            literals += 1
        }
        if literals == tokens.count { return rest.isEmpty }

        var reached = [Bool](repeating: false, count: tokens.count + 1)
        reach(literals, in: &reached)
        for byte in rest {
            reached = step(reached, over: byte)
        }
        return reached[tokens.count]
    }

    private func step(_ reached: [Bool], over byte: UInt8) -> [Bool] {
        let slash = UInt8(ascii: "/")
        var next = [Bool](repeating: false, count: reached.count)
        for (position, token) in tokens.enumerated() where reached[position] {
            switch token {
            case .byte(let expected): if byte == expected { reach(position + 1, in: &next) }
            case .withinSegment: if byte != slash { reach(position, in: &next) }
            case .acrossSegments: reach(position, in: &next)
            case .optionalSegments: break
            case .segments:
                next[position] = true
                if byte == slash { reach(position + 1, in: &next) }
            }
        }
        return next
    }

    /// Marks a position and those behind wildcards that may stand for nothing.
    private func reach(_ position: Int, in reached: inout [Bool]) {
        reached[position] = true
        guard position < tokens.count else { return }
        switch tokens[position] {
        case .withinSegment, .acrossSegments: reach(position + 1, in: &reached)
        case .optionalSegments:
            reached[position + 1] = true
            reach(position + 2, in: &reached)
        case .byte, .segments: break
        }
    }
}
