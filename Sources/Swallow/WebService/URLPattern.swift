import Foundation

/// A set of URLs, for example those that a configuration applies to.
///
/// A string literal is a path relative to the base URL. `*` matches any text within a segment, and `**` across
/// segments. `/**/` also matches a single slash. A pattern that begins with `http://` or `https://` is compared with
/// the complete URL. Both kinds ignore the query and the user info of URLs.
///
/// ```swift
/// service.configure("/users/*") { $0.headers["X-Part"] = "users" }
/// service.configure("/users/\(id)/**") { $0.headers["X-Part"] = "me" }
/// service.configure(.matching { $0.path.hasSuffix(".xml") }) { $0.timeout = .seconds(5) }
/// ```
public struct URLPattern: Sendable {
    private enum Form: Sendable {
        case all
        case path(Glob)
        case url(Glob)
        case predicate(@Sendable (URL) -> Bool)
    }

    private let form: Form
    /// The text of the pattern. It is `**` for ``all``, and `(closure)` for ``matching(_:)``.
    public let description: String

    /// Every URL.
    public static let all = URLPattern(form: .all, description: "**")

    /// Returns a pattern that matches if a closure, which runs on any thread, returns true for a URL without user info.
    public static func matching(_ predicate: @escaping @Sendable (URL) -> Bool) -> URLPattern {
        URLPattern(form: .predicate(predicate), description: "(closure)")
    }

    package var query: String { String(Self.escaped(description).locationAndQuery.query ?? "") }

    private static func escaped(_ text: String) -> String {
        (PercentEncoding.escapeIllegal(text) ?? text).withoutUserinfo
    }

    func problem(relativeTo base: BaseURL) -> String? {
        if !query.isEmpty {
            return "the pattern \"\(description)\" contains a query, which patterns ignore"
        }
        let (path, basePath) = (Substring(description).withoutLeadingSlashes, base.path.withoutLeadingSlashes)
        if case .path = form, !basePath.isEmpty, "\(path)/".hasPrefix("\(basePath)/") {
            return
                "the pattern \"\(description)\" repeats the path of the base URL, but patterns are relative to the base URL"
        }
        return nil
    }

    func matches(_ url: String, relativeTo base: BaseURL) -> Bool {
        matches(url) { glob in base.relativePath(of: url).map(glob.matches) ?? false }
    }

    package func matchesEnd(of url: URL) -> Bool {
        matches(url.absoluteString) { glob in
            var rest = url.path(percentEncoded: true)[...].withoutLeadingSlashes
            while !glob.matches(rest) {
                guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else { return false }
                rest = Substring(rest.utf8[slash...].dropFirst())
                if rest.isEmpty { return false }
            }
            return true
        }
    }

    private func matches(_ url: String, matchesPath: (Glob) -> Bool) -> Bool {
        switch form {
        case .all: true
        case .path(let glob): matchesPath(glob)
        case .url(let glob): glob.matches(url.plainLocation)
        case .predicate(let predicate): URL(string: url.withoutUserinfo).map(predicate) ?? false
        }
    }

    package func isSame(as other: URLPattern) -> Bool {
        switch (form, other.form) {
        case (.all, .all): true
        case (.path, .path), (.url, .url): description.plainLocation == other.description.plainLocation
        default: false
        }
    }
}

extension URLPattern: ExpressibleByStringInterpolation, CustomStringConvertible {
    /// Creates a pattern from text, for example from a variable.
    public init(_ text: String) {
        let location = Self.escaped(text).locationAndQuery.location
        let isAbsolute = text.pathOfHTTPURL != nil
        form = isAbsolute ? .url(Glob(location)) : .path(Glob(location.withoutLeadingSlashes))
        description = text
    }

    /// Creates a pattern from a literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Creates a pattern from a literal. A star in an interpolated value isn't a wildcard, unless the value is a
    /// `Request.Path` or in `\(raw: …)`.
    public init(stringInterpolation: Request.Path.StringInterpolation) {
        self.init(stringInterpolation.text)
    }
}

extension BaseURL {
    fileprivate func relativePath(of url: String) -> Substring? {
        Self.path(of: url, below: root) ?? Self.path(of: url.withoutUserinfo, below: plainRoot)
    }

    private static func path(of url: String, below root: String) -> Substring? {
        guard url.utf8.starts(with: root.utf8) else { return nil }
        let path = Substring(url.locationAndQuery.location.utf8.dropFirst(root.utf8.count))
        return path.isEmpty || path.utf8.first == UInt8(ascii: "/") ? path.withoutLeadingSlashes : nil
    }
}

extension Substring {
    fileprivate var withoutLeadingSlashes: Substring { Substring(utf8.drop { $0 == UInt8(ascii: "/") }) }
}
