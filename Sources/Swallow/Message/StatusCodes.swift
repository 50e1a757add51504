/// A set of status codes (RFC 9110 §15): `200..<300`, `[200, 304]`, or both as `[200..<300, 304]`.
public struct StatusCodes: Sendable, Hashable {
    // Nearly always the only range; not in an array, since each response is compared with it.
    private var first: Range<Int>
    private var others: [Range<Int>]

    /// The codes of a range.
    public init(_ range: Range<Int>) {
        // One form of an empty range, so that all empty sets are equal.
        first = range.isEmpty ? 0..<0 : range
        others = []
    }

    /// The codes of a range, its end included.
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
        first = joined.first ?? 0..<0
        others = Array(joined.dropFirst())
    }

    /// Whether a code is one of them.
    public func contains(_ code: Int) -> Bool {
        first.contains(code) || others.contains { $0.contains(code) }
    }

    /// These codes and those of another set.
    public func union(_ codes: StatusCodes) -> StatusCodes {
        StatusCodes(normalizing: [first] + others + [codes.first] + codes.others)
    }
}

extension StatusCodes: ExpressibleByArrayLiteral, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// One code.
    public init(integerLiteral code: Int) {
        self.init(code...code as ClosedRange)
    }

    /// The codes of all elements, which may be ranges.
    public init(arrayLiteral elements: StatusCodes...) {
        self.init(normalizing: elements.flatMap { [$0.first] + $0.others })
    }

    /// The codes as one would write them: `200..<300, 304`.
    public var description: String {
        ([first] + others).map { range in
            range.upperBound - 1 == range.lowerBound
                ? "\(range.lowerBound)" : "\(range.lowerBound)..<\(range.upperBound)"
        }.joined(separator: ", ")
    }
}

// Without these, Swift compares codes with a range as `AnyHashable`s, which are never equal.
extension StatusCodes {
    /// Whether the codes are those of a range.
    public static func == (codes: StatusCodes, range: Range<Int>) -> Bool { codes == StatusCodes(range) }
    /// Whether the codes are those of a range.
    public static func == (range: Range<Int>, codes: StatusCodes) -> Bool { codes == range }
    /// Whether the codes are those of a range, its end included.
    public static func == (codes: StatusCodes, range: ClosedRange<Int>) -> Bool {
        codes == StatusCodes(range)
    }
    /// Whether the codes are those of a range, its end included.
    public static func == (range: ClosedRange<Int>, codes: StatusCodes) -> Bool { codes == range }
    /// Whether the codes are those of several ranges.
    public static func == (codes: StatusCodes, ranges: [Range<Int>]) -> Bool {
        codes == StatusCodes(normalizing: ranges)
    }
    /// Whether the codes are others than those of several ranges.
    public static func != (codes: StatusCodes, ranges: [Range<Int>]) -> Bool { !(codes == ranges) }
    /// Whether the codes are others than those of a range.
    public static func != (codes: StatusCodes, range: Range<Int>) -> Bool { !(codes == range) }
    /// Whether the codes are others than those of a range.
    public static func != (range: Range<Int>, codes: StatusCodes) -> Bool { !(codes == range) }
    /// Whether the codes are others than those of a range, its end included.
    public static func != (codes: StatusCodes, range: ClosedRange<Int>) -> Bool { !(codes == range) }
    /// Whether the codes are others than those of a range, its end included.
    public static func != (range: ClosedRange<Int>, codes: StatusCodes) -> Bool { !(codes == range) }
}

// Disfavored, since otherwise `0..<5` would be status codes in all code that imports the package.

/// The status codes from `first` up to, but without, `end`; none where `end` is smaller.
@_disfavoredOverload
public func ..< (first: Int, end: Int) -> StatusCodes {
    StatusCodes(Range(uncheckedBounds: (first, max(first, end))))
}

/// The status codes from `first` to `last`, both included; none where `last` is smaller.
@_disfavoredOverload
public func ... (first: Int, last: Int) -> StatusCodes {
    first <= last ? StatusCodes(first...last as ClosedRange) : []
}
