import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The limit for response bodies in memory.
enum ResponseSize {
    /// The limit in bytes where no option of a data source sets another.
    static let standardLimit = 256 * 1024 * 1024

    /// For how many seconds a body that is too long for memory may still be claimed: a task may be resumed a moment
    /// before that.
    static let claimTime = 0.2

    /// Describes a body above the limit, and names the option.
    static func problem(over limit: Int) -> String {
        "The body has more bytes than maximumResponseSize, \(limit)."
    }

    /// The error for a body that is larger.
    static func error(over limit: Int, url: URL?) -> URLError {
        var information: [String: Any] = [NSLocalizedDescriptionKey: problem(over: limit)]
        if let url { information[NSURLErrorFailingURLErrorKey] = url }
        return URLError(.dataLengthExceedsMaximum, userInfo: information)
    }
}
