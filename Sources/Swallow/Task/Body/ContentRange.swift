enum ContentRange: Sendable, Hashable {
    case bytes(ClosedRange<Int64>, of: Int64?)
    /// None of the requested bytes exists. The length is the length of the complete representation.
    case unsatisfied(length: Int64)

    /// Returns `nil` for a malformed or contradictory field, or for another unit than bytes.
    init?(_ field: String) {
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let length = Self.number(parts[1])
        if length == nil, parts[1] != "*" { return nil }
        if parts[0] == "*" {
            guard let length else { return nil }
            self = .unsatisfied(length: length)
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, length.map({ last < $0 }) ?? (last < .max)
        else { return nil }
        self = .bytes(first...last, of: length)
    }

    /// Accepts only digits, because `Int64` also accepts a sign.
    private static func number(_ digits: Substring) -> Int64? {
        digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(digits) : nil
    }
}
