/// A `Content-Type` taken apart (RFC 9110 §8.3.1).
struct MediaType: Sendable {
    /// `type/subtype` in lower case.
    let name: String
    /// The `charset` parameter without quotes.
    let charset: String?

    init(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        name = (parts.first ?? "").trimmingSpaces.lowercased()
        charset =
            parts.dropFirst().lazy.compactMap { part -> String? in
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2, pair[0].trimmingSpaces.lowercased() == "charset" else { return nil }
                return String(pair[1].trimmingSpaces.filter { $0 != "\"" && $0 != "'" })
            }.first
    }

    var isJSON: Bool { name.hasSuffix("/json") || name.hasSuffix("+json") }
    var isText: Bool { name.hasPrefix("text/") }
    var isImage: Bool { name.hasPrefix("image/") }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
