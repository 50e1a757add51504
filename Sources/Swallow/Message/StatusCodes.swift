/// A set of status codes (RFC 9110 §15): `200..<300`, `[200, 304]`, or both as `[200..<300, 304]`.
public struct StatusCodes: Sendable, Hashable {
    // Nearly always the only range. It isn't in an array, because each response is compared with it.
    private var first: Range<Int>
    private var others: [Range<Int>]

    /// Creates a set of the codes in a range.
    public init(_ range: Range<Int>) {
        // All empty ranges have one form, so that all empty sets are equal.
        first = range.isEmpty ? 0..<0 : range
        others = []
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
        first = joined.first ?? 0..<0
        others = Array(joined.dropFirst())
    }

    /// Returns whether the set contains a code.
    public func contains(_ code: Int) -> Bool {
        first.contains(code) || others.contains { $0.contains(code) }
    }

    /// Returns the codes of both sets.
    public func union(_ codes: StatusCodes) -> StatusCodes {
        StatusCodes(normalizing: [first] + others + [codes.first] + codes.others)
    }
}

extension StatusCodes: ExpressibleByArrayLiteral, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Creates a set of one code.
    public init(integerLiteral code: Int) {
        self.init(code...code as ClosedRange)
    }

    /// Creates a set of the codes of all elements, which may be ranges.
    public init(arrayLiteral elements: StatusCodes...) {
        self.init(normalizing: elements.flatMap { [$0.first] + $0.others })
    }

    /// The codes in Swift's notation: `200..<300, 304`.
    public var description: String {
        ([first] + others).map { range in
            range.upperBound - 1 == range.lowerBound
                ? "\(range.lowerBound)" : "\(range.lowerBound)..<\(range.upperBound)"
        }.joined(separator: ", ")
    }
}

// Without these operators, Swift compares codes and a range as `AnyHashable` values, which are never equal.
extension StatusCodes {
    /// Returns whether the codes equal a range.
    public static func == (codes: StatusCodes, range: Range<Int>) -> Bool { codes == StatusCodes(range) }
    /// Returns whether the codes equal a range.
    public static func == (range: Range<Int>, codes: StatusCodes) -> Bool { codes == range }
    /// Returns whether the codes equal a closed range.
    public static func == (codes: StatusCodes, range: ClosedRange<Int>) -> Bool {
        codes == StatusCodes(range)
    }
    /// Returns whether the codes equal a closed range.
    public static func == (range: ClosedRange<Int>, codes: StatusCodes) -> Bool { codes == range }
    /// Returns whether the codes equal several ranges.
    public static func == (codes: StatusCodes, ranges: [Range<Int>]) -> Bool {
        codes == StatusCodes(normalizing: ranges)
    }
    /// Returns whether the codes differ from several ranges.
    public static func != (codes: StatusCodes, ranges: [Range<Int>]) -> Bool { !(codes == ranges) }
    /// Returns whether the codes differ from a range.
    public static func != (codes: StatusCodes, range: Range<Int>) -> Bool { !(codes == range) }
    /// Returns whether the codes differ from a range.
    public static func != (range: Range<Int>, codes: StatusCodes) -> Bool { !(codes == range) }
    /// Returns whether the codes differ from a closed range.
    public static func != (codes: StatusCodes, range: ClosedRange<Int>) -> Bool { !(codes == range) }
    /// Returns whether the codes differ from a closed range.
    public static func != (range: ClosedRange<Int>, codes: StatusCodes) -> Bool { !(codes == range) }
}

// Disfavored, because otherwise `0..<5` would be status codes in all code that imports the package.

/// Returns the status codes from `first` up to, but not including, `end`. Returns no codes if `end` is smaller.
@_disfavoredOverload
public func ..< (first: Int, end: Int) -> StatusCodes {
    StatusCodes(Range(uncheckedBounds: (first, max(first, end))))
}

/// Returns the status codes from `first` to `last`, including both. Returns no codes if `last` is smaller.
@_disfavoredOverload
public func ... (first: Int, last: Int) -> StatusCodes {
    first <= last ? StatusCodes(first...last as ClosedRange) : []
}
