import Foundation

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
