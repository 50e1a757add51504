import Foundation

/// One item of a query, or of a form, which has the same syntax (WHATWG URL §5): `name=value`.
package struct QueryItem: Sendable {
    /// How it was written.
    package let text: Substring
    /// The name, percent-decoded.
    package let name: String
    /// The value, percent-decoded; nil for an item without `=`.
    package let value: String?

    /// The items of a text, but for empty ones.
    ///
    /// - Parameter plusIsSpace: whether `+` stands for a space, as in forms; in queries of URLs it may be a plus.
    package static func items(of text: some StringProtocol, plusIsSpace: Bool = false) -> [QueryItem] {
        text.split(separator: "&").map { QueryItem(Substring($0), plusIsSpace: plusIsSpace) }
    }

    /// The items of a URL's query.
    package static func items(of url: URL?) -> [QueryItem] {
        items(of: url?.absoluteString.locationAndQuery.query ?? "")
    }

    package init(_ text: Substring, plusIsSpace: Bool = false) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
            let text = plusIsSpace ? String(part).replacing("+", with: " ") : String(part)
            return text.removingPercentEncoding ?? text
        }
        self.text = text
        name = parts.first ?? ""
        value = parts.count > 1 ? parts[1] : nil
    }
}
