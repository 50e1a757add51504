import Foundation
import Swallow

/// The server's response to a request for a page, for ``Pagination/custom(size:parameters:next:previous:total:)``.
public struct PageContent: Sendable {
    /// The head of the response.
    public let response: HTTPURLResponse
    /// The body, or `JSON.missing` if it isn't JSON.
    public let json: JSON
    /// The number of models received.
    public let count: Int
    /// The position of the page that was requested.
    public let position: PagePosition
    /// The number of models that were requested, or `nil` if the request left it to the server.
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
    /// The closures don't run on the main thread. If one throws an error, the future fails with it.
    ///
    /// - Parameters:
    ///   - size: The parameter for the number of models on a page.
    ///   - parameters: Returns the query items that request a page. It isn't called for a URL.
    ///   - next: Returns the position of the next page, or `nil` for the last page. URLs must be absolute.
    ///   - previous: Returns the position of the page before. The default is none.
    ///   - total: Returns the number of models on all pages. The default is none.
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
