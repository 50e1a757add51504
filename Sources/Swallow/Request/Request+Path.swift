import Foundation

extension Request {
    /// The path of a request, relative to the service's base URL.
    ///
    /// The text of a literal is unchanged. Each interpolated value becomes one percent-encoded segment, so a value from
    /// outside can't add segments, leave its place or start a query:
    ///
    /// ```swift
    /// let path: Request.Path = "/users/\(name)/repos"
    /// ```
    ///
    /// If an interpolated segment is empty, `.` or `..`, the path is invalid and its task fails with `.invalidURL`.
    /// This is because servers read even an encoded `%2E%2E` as a dot segment (RFC 3986 §5.2.4). A path is also invalid
    /// if the value at its beginning is itself a complete path or URL. For such values, write `\(raw: text)`. A path
    /// that begins with `http://` or `https://` is used unchanged.
    public struct Path: Sendable, Hashable {
        package let text: String
        /// `nil` if the path can be used.
        let problem: String?

        /// Creates a path from text. Characters that no URI may contain are percent-encoded.
        public init(_ string: String) {
            self.init(string, problem: nil)
        }

        /// Creates a path from an HTTP URL or a relative URL. If the URL has another scheme, the path can't be used.
        public init(_ url: URL) {
            let text = url.absoluteString
            let isHTTP = url.scheme == nil || text.pathOfHTTPURL != nil
            self.init(text, problem: isHTTP ? nil : "\"\(text)\" is not an HTTP URL")
        }

        private init(_ string: String, problem: String?) {
            let escaped = PercentEncoding.escapeIllegal(string)
            text = escaped ?? string
            self.problem = problem ?? (escaped == nil ? PercentEncoding.problem(of: string) : nil)
        }

        var isAbsolute: Bool { text.pathOfHTTPURL != nil }
    }
}

extension Request.Path: ExpressibleByStringInterpolation, CustomStringConvertible {
    /// Creates a path from a literal, without changes.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Creates a path from a literal with encoded segments.
    public init(stringInterpolation: StringInterpolation) {
        self.init(stringInterpolation.text, problem: stringInterpolation.problem)
    }

    /// The path's text, percent-encoded.
    public var description: String { text }

    /// Collects a path's literal text and its encoded segments.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        var problem: String?

        /// Creates an empty path.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        /// Adds literal text without changes.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Adds a value as one percent-encoded segment.
        public mutating func appendInterpolation(_ segment: some PathSegmentConvertible) {
            let segment = segment.pathSegment
            let isInPath = !text.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
            if isInPath, ["", ".", ".."].contains(segment) {
                problem =
                    problem
                    ?? "the interpolated path segment \"\(segment)\" after \"\(text)\" changes the structure of the path"
            } else if isAtStart, segment.hasPrefix("/") || segment.contains("://") {
                problem =
                    problem
                    ?? "the path begins with the interpolated \"\(segment)\", which is more than one segment. "
                    + "Write \\(raw: …) to insert text without changes"
            }
            text += PercentEncoding.encode(segment)
        }

        /// Whether the next segment could begin a complete URL or path, because only slashes precede it.
        private var isAtStart: Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "/") } }

        /// Adds a path without changes.
        public mutating func appendInterpolation(_ path: Request.Path) {
            text += path.text
            problem = problem ?? path.problem
        }

        /// Adds text without changes. It may contain several segments and a query.
        public mutating func appendInterpolation(raw text: String) {
            self.text += text
        }
    }
}
