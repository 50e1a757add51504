import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a server answered for a page, for a ``Pagination/custom(size:parameters:next:previous:total:)``.
public struct PageContent: Sendable {
    /// The head of the answer.
    public let response: HTTPURLResponse
    /// The body; ``JSON/missing`` where it isn't JSON.
    public let json: JSON
    /// How many entities came.
    public let count: Int
    /// Where the page is that was asked for.
    public let position: PagePosition
    /// How many entities were asked for; nil where that was left to the server.
    public let size: Int?
}

extension Pagination {
    /// Pages by rules of the server's own.
    ///
    /// ```swift
    /// let pagination: Pagination = .custom { position in
    ///     if case .number(let number) = position { ["p": number - 1] } else { ["p": 0] }
    /// } next: { page in
    ///     page.json["isLast"].bool == false ? .number((page.json["p"].int ?? 0) + 2) : nil
    /// }
    /// ```
    ///
    /// The closures run off the main thread; what one throws ends the future.
    ///
    /// - Parameters:
    ///   - size: the parameter for the number of entities on a page.
    ///   - parameters: gives the items of the query that ask for a page. It isn't called for a position that is a URL.
    ///   - next: gives where the next page is; nil for the last one. It must resolve a relative URL itself.
    ///   - previous: gives where the page before is; nil, the default, for nowhere.
    ///   - total: gives the number of entities on all pages; nil, the default, for none.
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
