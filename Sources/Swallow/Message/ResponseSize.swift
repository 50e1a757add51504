import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The limit for response bodies in memory.
enum ResponseSize {
    /// The limit in bytes, unless an option of a data source sets another limit.
    static let standardLimit = 256 * 1024 * 1024

    /// The time in seconds during which a body that is too large for memory may still get a body sink. The app may
    /// resume the task a moment before it attaches one.
    static let claimTime = 0.2

    /// Describes a body above the limit, and names the option.
    static func problem(over limit: Int) -> String {
        "The body has more than \(limit) bytes (maximumResponseSize)."
    }

    /// Returns the error for a body that exceeds the limit.
    static func error(over limit: Int, url: URL?) -> URLError {
        var information: [String: Any] = [NSLocalizedDescriptionKey: problem(over: limit)]
        if let url { information[NSURLErrorFailingURLErrorKey] = url }
        return URLError(.dataLengthExceedsMaximum, userInfo: information)
    }
}
