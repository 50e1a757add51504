import Foundation

/// One item of a query or a form: `name=value`. Both have the same syntax (WHATWG URL §5).
package struct QueryItem: Sendable {
    package let text: Substring
    package let name: String
    /// `nil` for an item without `=`.
    package let value: String?

    /// Returns the nonempty items. `plusIsSpace` is `true` for forms. In a URL's query, `+` may be a plus sign.
    package static func items(of text: some StringProtocol, plusIsSpace: Bool = false) -> [QueryItem] {
        text.split(separator: "&").map { QueryItem(Substring($0), plusIsSpace: plusIsSpace) }
    }

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
