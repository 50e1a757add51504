import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How large a response's body may be that is kept in memory.
enum ResponseSize {
    /// The error for a body that is larger; it names the option.
    static func error(over limit: Int, url: URL?) -> URLError {
        var information: [String: Any] = [
            NSLocalizedDescriptionKey: "The response is larger than maximumResponseSize, \(limit) bytes."
        ]
        if let url { information[NSURLErrorFailingURLErrorKey] = url }
        return URLError(.dataLengthExceedsMaximum, userInfo: information)
    }
}
