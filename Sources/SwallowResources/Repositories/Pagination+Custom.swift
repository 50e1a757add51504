import Foundation
import Swallow

/// The response of a page, for closures of ``Pagination/custom(size:parameters:next:previous:total:)``.
public struct PageContent: Sendable {
    /// The head of the response.
    public let response: HTTPURLResponse
    /// The body, or `JSON.missing` if it isn't JSON.
    public let json: JSON
    /// The number of models in the response.
    public let count: Int
    /// The position of the page that was requested.
    public let position: PagePosition
    /// The requested number of models on a page. `nil` if the request has no page size.
    public let size: Int?
}

extension Pagination {
    /// Returns a pagination with your own rules.
    ///
    /// ```swift
    /// let pagination: Pagination = .custom { position in
    ///     if case .number(let number) = position { ["p": number - 1] } else { ["p": 0] }
    /// } next: { page in
    ///     page.json["isLast"].bool == false ? .number((page.json["p"].int ?? 0) + 2) : nil
    /// }
    /// ```
    ///
    /// `parameters` may run on the main thread, and the other closures run off it. If one throws, the future fails.
    ///
    /// - Parameters:
    ///   - size: The name of the query item for the number of models on a page.
    ///   - parameters: Returns the query items that request a page. Not called if the page's position is a URL.
    ///   - next: Returns the next page's position, or `nil` for the last page. URLs must be absolute.
    ///   - previous: Returns the previous page's position. By default, it isn't known.
    ///   - total: Returns the number of models on all pages. By default, it isn't known.
    public static func custom(
        size: String = "per_page", parameters: @escaping @Sendable (PagePosition) -> Parameters,
        next: @escaping @Sendable (PageContent) throws -> PagePosition?,
        previous: (@Sendable (PageContent) throws -> PagePosition?)? = nil,
        total: (@Sendable (PageContent) throws -> Int?)? = nil
    ) -> Pagination {
        let custom = Custom(parameters: parameters, next: next, previous: previous, total: total)
        return Pagination(form: .custom(custom), sizeName: size)
    }

    struct Custom: Sendable {
        let parameters: @Sendable (PagePosition) -> Parameters
        let next: @Sendable (PageContent) throws -> PagePosition?
        let previous: (@Sendable (PageContent) throws -> PagePosition?)?
        let total: (@Sendable (PageContent) throws -> Int?)?
    }
}
