import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A piece of a response, delivered as it arrives.
public enum ResponsePart: Sendable {
    /// The head of the final response. Redirects that are followed and attempts that are repeated aren't delivered.
    case head(HTTPURLResponse)
    /// The next bytes of the body with their content coding removed. Never empty.
    case bytes(Data)
}
