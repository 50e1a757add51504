import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A strong validator (RFC 9110 §8.8.1) for `If-Range`. It identifies the exact bytes of a representation.
enum StrongValidator: Sendable, Hashable {
    case entityTag(String)
    case lastModified(String)

    /// A date is strong if the response is at least a second younger (§8.8.2.2). It is used only if the response has no
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

    var text: String {
        switch self {
        case .entityTag(let text), .lastModified(let text): text
        }
    }

    func isValidator(of head: HTTPURLResponse) -> Bool {
        let tag = head.value(forHTTPHeaderField: "ETag")
        return switch self {
        case .entityTag(let text): tag == text
        case .lastModified(let text):
            tag == nil && head.value(forHTTPHeaderField: "Last-Modified") == text
        }
    }

    /// An entity tag is strong without the prefix `W/` (§8.8.3).
    private static func isStrong(_ tag: String) -> Bool {
        let quote = UInt8(ascii: "\"")
        guard tag.utf8.count >= 2, tag.utf8.first == quote, tag.utf8.last == quote else { return false }
        return tag.utf8.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != quote }
    }
}
