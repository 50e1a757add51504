/// A set of status codes (RFC 9110 §15), such as `200..<300`, `[200, 304]` or `[200..<300, 304]`. To convert a
/// `Range<Int>` in a variable, use ``init(_:)-(Range<Int>)``.
public struct StatusCodes: Sendable, Hashable {
    /// The ranges of the codes in order. Equal sets have equal ranges. An empty set has the range `0..<0`.
    private let ranges: [Range<Int>]

    /// Creates a set of the codes in a range.
    public init(_ range: Range<Int>) {
        self.init(normalizing: [range])
    }

    /// Creates a set of the codes in a closed range.
    public init(_ range: ClosedRange<Int>) {
        self.init(range.lowerBound..<(range.upperBound == .max ? .max : range.upperBound + 1))
    }

    private init(normalizing ranges: [Range<Int>]) {
        var joined: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        self.ranges = joined.isEmpty ? [0..<0] : joined
    }

    /// Returns whether the set contains a code.
    public func contains(_ code: Int) -> Bool {
        ranges.contains { $0.contains(code) }
    }

    /// Returns the codes of both sets.
    public func union(_ codes: StatusCodes) -> StatusCodes {
        StatusCodes(normalizing: ranges + codes.ranges)
    }
}

extension StatusCodes: ExpressibleByArrayLiteral, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Creates a set of one code.
    public init(integerLiteral code: Int) {
        self.init(code...code)
    }

    /// Creates a set of the codes of all elements. An element may be a code or a range.
    public init(arrayLiteral elements: StatusCodes...) {
        self.init(normalizing: elements.flatMap(\.ranges))
    }

    /// The codes in Swift's notation: `200..<300, 304`.
    public var description: String {
        ranges.map { range in
            range.upperBound - 1 == range.lowerBound
                ? "\(range.lowerBound)" : "\(range.lowerBound)..<\(range.upperBound)"
        }.joined(separator: ", ")
    }
}

extension StatusCodes {
    /// A bound of a range of status codes. With it, `200..<300` and `200...299` are literals of ``StatusCodes``.
    public struct Code: Sendable, Hashable, ExpressibleByIntegerLiteral {
        private let value: Int

        /// Creates a code from a literal.
        public init(integerLiteral value: Int) {
            self.value = value
        }

        // If it weren't disfavored, `0..<5` would by default be status codes in modules that import Swallow.
        /// Returns the codes from `first` up to, but not including, `end`. Returns no codes if `end` is smaller.
        @_disfavoredOverload
        public static func ..< (first: Code, end: Code) -> StatusCodes {
            StatusCodes(Range(uncheckedBounds: (first.value, max(first.value, end.value))))
        }

        /// Returns the codes from `first` to `last`, including both. Returns no codes if `last` is smaller.
        @_disfavoredOverload
        public static func ... (first: Code, last: Code) -> StatusCodes {
            first.value <= last.value ? StatusCodes(first.value...last.value) : []
        }
    }
}
