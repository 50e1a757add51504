import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How large a response's body may be that is kept in memory.
enum ResponseSize {
    /// The most, where no option of a data source says otherwise.
    static let standardLimit = 256 * 1024 * 1024

    /// How long a body that is too long for memory waits for who claims it, in seconds: a task may be resumed a moment before.
    static let claimTime = 0.2

    /// What is wrong with a body that is larger; it names the option.
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
