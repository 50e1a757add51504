import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension RetryPolicy {
    /// Returns the delay that a response requests with `Retry-After`, as text for an error, or `nil` without the field.
    ///
    /// If the request isn't sent again because of the policy's limit, the text names the limit.
    func words(aboutDelayIn response: HTTPURLResponse, now: @autoclosure () -> Date) -> String? {
        guard let field = response.value(forHTTPHeaderField: "Retry-After"),
            let delay = RetryAfter.delay(field, now: now())
        else { return nil }
        let words = "the server requests a delay of \(delay) (Retry-After)"
        let isLimiting = isInUse && statusCodes.contains(response.statusCode) && delay > retryAfterLimit
        return isLimiting
            ? "\(words), which is more than the retry policy's limit of \(retryAfterLimit)" : words
    }
}
