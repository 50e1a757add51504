import Foundation

extension Request {
    /// The path of a request, relative to the service's base URL, or a complete HTTP URL.
    ///
    /// In a literal, only characters that are illegal in paths and queries are percent-encoded. Interpolated text is
    /// percent-encoded, so it can't add segments or start a query:
    ///
    /// ```swift
    /// let path: Request.Path = "/users/\(name)/repos"
    /// ```
    ///
    /// The task fails with `.invalidURL` if an interpolated value in the path is empty, `.` or `..`, or if it begins
    /// the path and contains `://` or begins with `/`. `\(raw: text)` inserts text as if it were part of the literal.
    /// The task also fails if other text has a control character, or a `%` without two hexadecimal digits.
    public struct Path: Sendable, Hashable {
        package let text: String
        let problem: String?

        /// Creates a path from text, which is percent-encoded like a literal.
        public init(_ string: String) {
            self.init(string, problem: nil)
        }

        /// Creates a path from an HTTP URL or a relative URL. For other URLs, the task fails with `.invalidURL`.
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
    /// Creates a path from a literal. Only characters that are illegal in paths and queries are percent-encoded.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Creates a path from a literal with interpolated values, which are percent-encoded.
    public init(stringInterpolation: StringInterpolation) {
        self.init(stringInterpolation.text, problem: stringInterpolation.problem)
    }

    /// The path's text, percent-encoded.
    public var description: String { text }

    /// Collects a path's literal text and its encoded values.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        var problem: String?

        /// Creates an empty interpolation.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        /// Adds literal text.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Adds a percent-encoded value.
        public mutating func appendInterpolation(_ segment: some PathSegmentConvertible) {
            let segment = segment.pathSegment
            let isInPath = !text.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
            if isInPath, ["", ".", ".."].contains(segment) {
                note(
                    "the interpolated path segment \"\(segment)\" after \"\(text)\" changes the structure of the path"
                )
            } else if isAtStart, segment.hasPrefix("/") || segment.contains("://") {
                note(
                    "the path begins with the interpolated \"\(segment)\", which is more than one segment. "
                        + "Write \\(raw: …) to insert text without changes")
            }
            text += PercentEncoding.encode(segment)
        }

        private mutating func note(_ problem: String) { self.problem = self.problem ?? problem }

        private var isAtStart: Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "/") } }

        /// Adds a path without encoding it again.
        public mutating func appendInterpolation(_ path: Request.Path) {
            text += path.text
            problem = problem ?? path.problem
        }

        /// Adds text as if it were part of the literal. It may contain several segments and a query.
        public mutating func appendInterpolation(raw text: String) {
            self.text += text
        }
    }
}

/// A value that can be one segment of a `Request.Path`.
///
/// A type with a raw value, such as an enum, only declares the conformance:
///
/// ```swift
/// enum Feed: String, PathSegmentConvertible { case top, new }
/// ```
public protocol PathSegmentConvertible {
    /// The segment's text, before percent encoding.
    var pathSegment: String { get }
}

extension PathSegmentConvertible where Self: RawRepresentable, RawValue: PathSegmentConvertible {
    /// The raw value as a segment.
    public var pathSegment: String { rawValue.pathSegment }
}

extension PathSegmentConvertible where Self: BinaryInteger {
    /// The number in decimal digits.
    public var pathSegment: String { String(self) }
}

extension PathSegmentConvertible where Self: StringProtocol {
    /// The text itself.
    public var pathSegment: String { String(self) }
}

extension String: PathSegmentConvertible {}
extension Substring: PathSegmentConvertible {}

extension UUID: PathSegmentConvertible {
    /// The UUID as `uuidString` spells it.
    public var pathSegment: String { uuidString }
}

extension Int: PathSegmentConvertible {}
extension Int8: PathSegmentConvertible {}
extension Int16: PathSegmentConvertible {}
extension Int32: PathSegmentConvertible {}
extension Int64: PathSegmentConvertible {}
extension UInt: PathSegmentConvertible {}
extension UInt8: PathSegmentConvertible {}
extension UInt16: PathSegmentConvertible {}
extension UInt32: PathSegmentConvertible {}
extension UInt64: PathSegmentConvertible {}
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension Int128: PathSegmentConvertible {}
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension UInt128: PathSegmentConvertible {}

/// A value that can be the path of a request, such as a complete `URL` from a response.
///
/// An app's own type of endpoints may conform:
/// ```swift
/// enum Chart: String, RequestPathConvertible {
///     case top, new
///     var requestPath: Request.Path { "/charts/\(rawValue)" }
/// }
///
/// service.GET(Chart.top)
/// ```
public protocol RequestPathConvertible {
    /// The path, or a complete URL.
    var requestPath: Request.Path { get }
}

extension URL: RequestPathConvertible {
    /// The URL as a path. A complete HTTP URL replaces the base URL.
    public var requestPath: Request.Path { Request.Path(self) }
}

/// Unavailable. Convert text with `Request.Path(text)`.
@available(
    *, unavailable,
    message:
        "Write Request.Path(text), or a literal such as \"/users/\\(id)\" with values that aren't optional."
)
extension String: RequestPathConvertible {
    /// Unavailable. Convert text with `Request.Path(text)`.
    public var requestPath: Request.Path { Request.Path(self) }
}

struct BaseURL: Sendable {
    let root: String
    let problem: String?
    private let location: String
    private let query: Substring?

    init(_ text: String) {
        let escaped = PercentEncoding.escapeIllegal(text)
        problem = escaped == nil ? PercentEncoding.problem(of: text) : nil
        let (location, query) = (escaped ?? text).locationAndQuery
        self.location = String(location)
        self.query = query
        let path = self.location.pathOfHTTPURL ?? location
        let slashes = path.utf8.reversed().prefix { $0 == UInt8(ascii: "/") }.count
        root = slashes == 0 ? self.location : String(location.dropLast(slashes))
    }

    var plainRoot: String { root.withoutUserinfo }

    var origin: Origin? {
        URL(string: location).flatMap(Origin.init)
    }

    var path: Substring { root.pathOfHTTPURL ?? "" }

    func joined(_ path: Request.Path) -> String {
        let (relative, relativeQuery) = path.text.locationAndQuery
        let query = path.isAbsolute ? nil : query
        var url: String
        if path.isAbsolute {
            url = String(relative)
        } else if relative.isEmpty {
            url = location
        } else {
            url = root
            url.reserveCapacity(root.utf8.count + path.text.utf8.count + (query?.utf8.count ?? 0) + 2)
            url += "/"
            url += Substring(relative.utf8.drop { $0 == UInt8(ascii: "/") })
        }
        if query != nil || relativeQuery != nil { url += "?" }
        url.appendQuery(query ?? "")
        url.appendQuery(relativeQuery ?? "")
        return url
    }
}

extension String {
    mutating func appendQuery(_ query: some StringProtocol) {
        if query.isEmpty { return }
        let mark = utf8.firstIndex(of: UInt8(ascii: "?"))
        if mark == nil {
            self += "?"
        } else if mark != utf8.index(before: utf8.endIndex), utf8.last != UInt8(ascii: "&") {
            self += "&"
        }
        self += query
    }
}
