import Foundation

extension RetryPolicy {
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
