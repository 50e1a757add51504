import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The server's response to a request for a page, for ``Pagination/custom(size:parameters:next:previous:total:)``.
public struct PageContent: Sendable {
    /// The head of the response.
    public let response: HTTPURLResponse
    /// The body, or `JSON.missing` if it isn't JSON.
    public let json: JSON
    /// The number of entities received.
    public let count: Int
    /// The position of the page that was requested.
    public let position: PagePosition
    /// The number of entities that were requested, or `nil` if the request left it to the server.
    public let size: Int?
}

extension Pagination {
    /// Returns a pagination with the server's own rules.
    ///
    /// ```swift
    /// let pagination: Pagination = .custom { position in
    ///     if case .number(let number) = position { ["p": number - 1] } else { ["p": 0] }
    /// } next: { page in
    ///     page.json["isLast"].bool == false ? .number((page.json["p"].int ?? 0) + 2) : nil
    /// }
    /// ```
    ///
    /// The closures don't run on the main thread. If a closure throws an error, the future fails with it.
    ///
    /// - Parameters:
    ///   - size: The parameter for the number of entities on a page.
    ///   - parameters: Returns the query items that request a page. It isn't called for a position that is a URL.
    ///   - next: Returns the position of the next page, or `nil` for the last page. It must resolve relative URLs
    ///     itself.
    ///   - previous: Returns the position of the page before. `nil`, the default, stands for no position.
    ///   - total: Returns the number of entities on all pages. `nil`, the default, stands for no number.
    public static func custom(
        size: String = "per_page", parameters: @escaping @Sendable (PagePosition) -> Parameters,
        next: @escaping @Sendable (PageContent) throws -> PagePosition?,
        previous: (@Sendable (PageContent) throws -> PagePosition?)? = nil,
        total: (@Sendable (PageContent) throws -> Int?)? = nil
    ) -> Pagination {
        let custom = Custom(parameters: parameters) { page in
            PageHead(total: try total?(page), next: try next(page), previous: try previous?(page))
        }
        return Pagination(form: .custom(custom), sizeName: size)
    }

    struct Custom: Sendable {
        let parameters: @Sendable (PagePosition) -> Parameters
        let read: @Sendable (PageContent) throws -> PageHead
    }
}
