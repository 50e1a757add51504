import Foundation

/// A piece of a response, delivered as it arrives.
public enum ResponsePart: Sendable {
    /// The head of the final response. Heads of followed redirects and of responses that cause a retry are omitted.
    case head(HTTPURLResponse)
    /// The next bytes of the body, at least one, with any content coding removed.
    case bytes(Data)
}
