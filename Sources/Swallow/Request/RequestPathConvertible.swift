import Foundation

/// A value that can be the path of a request, such as a complete `URL` from a response.
///
/// An app's own type of endpoints may conform:
///
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
    /// The path of a relative URL, or the complete URL.
    public var requestPath: Request.Path { Request.Path(self) }
}

/// Unavailable: a path isn't a `String`.
@available(
    *, unavailable,
    message:
        "Write Request.Path(text), or a literal such as \"/users/\\(id)\" with values that aren't optional."
)
extension String: RequestPathConvertible {
    /// Unavailable: a path isn't a `String`.
    public var requestPath: Request.Path { Request.Path(self) }
}
