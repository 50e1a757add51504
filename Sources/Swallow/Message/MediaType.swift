/// A `Content-Type` taken apart (RFC 9110 §8.3.1).
package struct MediaType: Sendable {
    /// `type/subtype` in lower case.
    package let name: String
    /// The `charset` parameter without quotes.
    package let charset: String?

    package init(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        name = (parts.first ?? "").trimmingSpaces.lowercased()
        charset =
            parts.dropFirst().lazy.compactMap { part -> String? in
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2, pair[0].trimmingSpaces.lowercased() == "charset" else { return nil }
                return String(pair[1].trimmingSpaces.filter { $0 != "\"" && $0 != "'" })
            }.first
    }

    package var isJSON: Bool { name.hasSuffix("/json") || name.hasSuffix("+json") }
    var isText: Bool { name.hasPrefix("text/") }
    var isImage: Bool { name.hasPrefix("image/") }
}

/// A media type in which `*` stands for any text without `/` and `+`.
struct ContentTypePattern: Sendable {
    private let pattern: [UInt8]

    init(_ text: String) {
        pattern = Array(MediaType(text).name.utf8)
    }

    /// Whether a media type in lower case, without parameters, matches.
    ///
    /// Where a byte doesn't fit, the last star takes one byte more. No star goes across a separator, so those
    /// before it needn't be tried again.
    func matches(_ name: String) -> Bool {
        let name = Array(name.utf8)
        var (place, next) = (0, 0)
        var star: (next: Int, place: Int)?
        while place < name.count {
            if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
                star = (next + 1, place)
                next += 1
            } else if next < pattern.count, pattern[next] == name[place] {
                if Self.isSeparator(name[place]) { star = nil }
                next += 1
                place += 1
            } else if let last = star, !Self.isSeparator(name[last.place]) {
                star = (last.next, last.place + 1)
                (next, place) = (last.next, last.place + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "+")
    }
}
