import Foundation

/// A piece of a response, delivered as it arrives.
public enum ResponsePart: Sendable {
    /// The head of the final response. Followed redirects, and responses after which a request is retried, are omitted.
    case head(HTTPURLResponse)
    /// The next bytes of the body, with any content coding removed. Never empty.
    case bytes(Data)
}
