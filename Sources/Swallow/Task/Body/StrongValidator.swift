import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tells whether the bytes of two responses belong together: a strong validator (RFC 9110 §8.8.1), the value of
/// `If-Range`.
enum StrongValidator: Sendable, Hashable {
    case entityTag(String)
    case lastModified(String)

    /// The strong validator of a response; nil where it has none.
    ///
    /// A date is strong where the response is at least a second younger (§8.8.2.2), and counts only where there is no
    /// entity tag, not even a weak one (§13.1.5).
    init?(of head: HTTPURLResponse) {
        if let tag = head.value(forHTTPHeaderField: "ETag") {
            guard Self.isStrong(tag) else { return nil }
            self = .entityTag(tag)
            return
        }
        guard let text = head.value(forHTTPHeaderField: "Last-Modified"),
            let modified = HTTPDate.date(text),
            let date = head.value(forHTTPHeaderField: "Date").flatMap({ HTTPDate.date($0) }),
            date.timeIntervalSince(modified) >= 1
        else { return nil }
        self = .lastModified(text)
    }

    /// The value of `If-Range` (§13.1.5).
    var text: String {
        switch self {
        case .entityTag(let text), .lastModified(let text): text
        }
    }

    /// Whether a response says that it has this validator, too.
    func isValidator(of head: HTTPURLResponse) -> Bool {
        let tag = head.value(forHTTPHeaderField: "ETag")
        return switch self {
        case .entityTag(let text): tag == text
        case .lastModified(let text):
            tag == nil && head.value(forHTTPHeaderField: "Last-Modified") == text
        }
    }

    /// Whether text is one entity tag in quotes, without `W/` before it (§8.8.3); false for a list of them.
    private static func isStrong(_ tag: String) -> Bool {
        let quote = UInt8(ascii: "\"")
        guard tag.utf8.count >= 2, tag.utf8.first == quote, tag.utf8.last == quote else { return false }
        return tag.utf8.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != quote }
    }
}
