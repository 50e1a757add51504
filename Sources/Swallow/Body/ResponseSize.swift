import Foundation

enum ResponseSize {
    static let standardLimit = 256 * 1024 * 1024

    /// The time in seconds that a transfer waits for a body sink if the body is too large for memory.
    static let sinkTimeout = 0.2

    static func problem(over limit: Int) -> String {
        "The body has more than \(limit) bytes (maximumResponseSize)."
    }

    static func error(over limit: Int, url: URL?) -> URLError {
        URLError(.dataLengthExceedsMaximum, text: problem(over: limit), url: url)
    }
}

extension URLError {
    init(_ code: Code, text: String, url: URL?) {
        var information: [String: Any] = [NSLocalizedDescriptionKey: text]
        information[NSURLErrorFailingURLErrorKey] = url
        self.init(code, userInfo: information)
    }
}
