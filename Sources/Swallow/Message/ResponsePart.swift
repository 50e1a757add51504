import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A piece of a response, as it comes.
public enum ResponsePart: Sendable {
    /// The head of the final response: neither a redirect that is followed nor an attempt that is made again.
    case head(HTTPURLResponse)
    /// The next bytes of the body, never empty, with their content coding removed.
    case bytes(Data)
}
