import Foundation

/// One item of a query or a form: `name=value`. Both have the same syntax (WHATWG URL §5).
package struct QueryItem: Sendable {
    /// The original text of the item.
    package let text: Substring
    /// The name, percent-decoded.
    package let name: String
    /// The value, percent-decoded, or `nil` for an item without `=`.
    package let value: String?

    /// Returns the items of a text, except for empty ones.
    ///
    /// - Parameter plusIsSpace: Whether `+` stands for a space, as in forms. In a URL's query, it may be a plus sign.
    package static func items(of text: some StringProtocol, plusIsSpace: Bool = false) -> [QueryItem] {
        text.split(separator: "&").map { QueryItem(Substring($0), plusIsSpace: plusIsSpace) }
    }

    /// Returns the items of a URL's query.
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
