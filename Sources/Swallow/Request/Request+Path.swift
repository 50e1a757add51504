import Foundation

extension Request {
    /// Where a request goes, relative to the service's base URL.
    ///
    /// A literal keeps its text; each interpolated value becomes one percent-encoded segment, so a value
    /// from outside can't add segments, climb out of its place or start a query:
    ///
    /// ```swift
    /// let path: Request.Path = "/users/\(name)/repos"
    /// ```
    ///
    /// An interpolated segment that is empty, `.` or `..` makes the path unusable: its task ends with
    /// `.invalidURL`, since servers read even an encoded `%2E%2E` as a dot segment (RFC 3986 §5.2.4). So does a value
    /// at the path's beginning that is itself a whole path or URL: write `\(raw: text)` for that.
    /// A path that begins with `http://` or `https://` is used as it is.
    public struct Path: Sendable, Hashable {
        /// The path's text, percent-encoded.
        package let text: String
        /// Why the path can't be used; nil if it can.
        let problem: String?

        /// Takes a whole path as it stands; characters that no URI may hold are percent-encoded.
        public init(_ string: String) {
            self.init(string, problem: nil)
        }

        /// Takes a whole HTTP URL, or a relative one. A URL with another scheme makes a path that can't be used.
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

        /// Whether the path is a whole URL.
        var isAbsolute: Bool { text.pathOfHTTPURL != nil }
    }
}

extension Request.Path: ExpressibleByStringInterpolation, CustomStringConvertible {
    /// Takes a literal path as it stands.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Takes a literal path with its encoded segments.
    public init(stringInterpolation: StringInterpolation) {
        self.init(stringInterpolation.text, problem: stringInterpolation.problem)
    }

    /// The path's text, percent-encoded.
    public var description: String { text }

    /// Gathers a path's literal text and its encoded segments.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        var problem: String?

        /// Starts an empty path.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        /// Adds literal text as it stands.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Adds a value as one percent-encoded segment.
        public mutating func appendInterpolation(_ segment: some PathSegmentConvertible) {
            let segment = segment.pathSegment
            let isInPath = !text.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
            if isInPath, ["", ".", ".."].contains(segment) {
                problem =
                    problem ?? "the interpolated path segment \"\(segment)\" after \"\(text)\" is not a name"
            } else if isAtStart, segment.hasPrefix("/") || segment.contains("://") {
                problem =
                    problem
                    ?? "the path begins with the interpolated \"\(segment)\", which is more than a segment: "
                    + "write \\(raw: …) for text that goes in as it stands"
            }
            text += PercentEncoding.encode(segment)
        }

        /// Whether the next segment could begin a whole URL or path, since only slashes come before it.
        private var isAtStart: Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "/") } }

        /// Adds a path as it stands.
        public mutating func appendInterpolation(_ path: Request.Path) {
            text += path.text
            problem = problem ?? path.problem
        }

        /// Adds text as it stands: it may hold several segments and a query.
        public mutating func appendInterpolation(raw text: String) {
            self.text += text
        }
    }
}
