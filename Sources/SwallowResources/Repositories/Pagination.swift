import Foundation
import Swallow

/// The way in which a server divides a list into pages and refers to the next page.
///
/// ```swift
/// let pagination: Pagination = .link
///
/// let pagination: Pagination = .body(next: ["paging", "next"], cursor: "after")
/// ```
///
/// If a response lacks information that the pagination needs, reading the page fails with `.invalidResponse`.
public struct Pagination: Sendable {
    enum Form: Sendable {
        case headers(page: String)
        case link(page: String)
        case body(Members)
        case offset(String, limit: Int)
        case custom(Custom)
    }

    struct Members: Sendable {
        let next: [String]
        let cursor: String?
        let total: [String]?
        let previous: [String]?
    }

    let form: Form
    let sizeName: String

    /// Pages by number: `?page=2&per_page=20`. Responses must have `X-Total`, `X-Per-Page` and `X-Page`. Only
    /// ``Readable/readAll(parameters:)`` accepts a complete list without them. An empty page is the last page.
    public static let headers = headers(page: "page", size: "per_page")

    /// Returns a pagination by number with other names for the query items.
    public static func headers(page: String = "page", size: String = "per_page") -> Pagination {
        Pagination(form: .headers(page: page), sizeName: size)
    }

    /// Pages by links. The next page is at the URL with the relation `next` in the header field `Link` (RFC 8288),
    /// relative to the response's URL. A page without this link is the last page.
    ///
    /// If the link `next` is malformed or doesn't lead to an HTTP URL, the future fails. If a link leads to another
    /// origin than the base URL's, the configured headers aren't sent there.
    public static let link = link(page: "page", size: "per_page")

    /// Returns a pagination by links with other names for the query items.
    public static func link(page: String = "page", size: String = "per_page") -> Pagination {
        Pagination(form: .link(page: page), sizeName: size)
    }

    /// Returns a pagination by a member of the body: `{"items": […], "next": …}`. If the member is missing, `null`,
    /// `false` or an empty string, there is no further page.
    ///
    /// - Parameters:
    ///   - next: The path of members from the response's root to a string or an integer.
    ///   - cursor: The name of the query item that sends the value of `next`. With `nil`, the default, a value with the
    ///     prefix `http://`, `https://`, `/` or `?` is the next page's URL. Any other value is sent in a query item
    ///     named `cursor`.
    ///   - size: The name of the query item for the number of models on a page.
    ///   - total: The path to the number of models on all pages. The default is none.
    ///   - previous: The path to the previous page, read like `next`. By default, a URL in `prev` or `previous` beside
    ///     `next`.
    public static func body(
        next: [String], cursor: String? = nil, size: String = "per_page", total: [String]? = nil,
        previous: [String]? = nil
    ) -> Pagination {
        let members = Members(next: next, cursor: cursor, total: total, previous: previous)
        return Pagination(form: .body(members), sizeName: size)
    }

    /// Returns a pagination by a member at the body's root. See
    /// ``body(next:cursor:size:total:previous:)-([String],_,_,_,_)``.
    public static func body(
        next: String, cursor: String? = nil, size: String = "per_page", total: [String]? = nil,
        previous: [String]? = nil
    ) -> Pagination {
        body(next: [next], cursor: cursor, size: size, total: total, previous: previous)
    }

    /// Returns a pagination by position: `?offset=40&limit=20`. A page with fewer models than requested is the last
    /// page, so don't request more than the server allows.
    ///
    /// - Parameters:
    ///   - limit: The number of models on a page if the caller passes no size.
    ///   - offset: The name of the query item for the position of the page's first model, counted from 0.
    ///   - size: The name of the query item for the number of models on a page.
    public static func offset(
        limit: Int, offset: String = "offset", size: String = "limit"
    ) -> Pagination {
        Pagination(form: .offset(offset, limit: limit), sizeName: size)
    }
}

extension Pagination {
    func page<Model>(
        _ page: Int?, size: Int?, parameters: Parameters
    ) throws(ServiceError) -> Page<Model> {
        let number = page ?? 1
        if number < 1 { throw invalid("page numbers start at 1, so there is no page \(number)") }
        if let size, size < 1 { throw invalid("the page size must be at least 1, but it is \(size)") }
        var size = size
        let position: PagePosition
        switch form {
        case .headers: position = .number(number)
        case .link: position = page.map(PagePosition.number) ?? .start
        case .body:
            if number > 1 { throw invalid("page \(number) can be read only after the page before it") }
            position = .start
        case .offset(_, let limit):
            if limit < 1 { throw invalid("the page size must be at least 1, but it is \(limit)") }
            size = size ?? limit
            let (offset, overflows) = (number - 1).multipliedReportingOverflow(by: size ?? limit)
            if overflows { throw invalid("page \(number) is out of range") }
            position = .offset(offset)
        case .custom: position = page.map(PagePosition.number) ?? .start
        }
        return Page(at: position, number: number, size: size, parameters: parameters)
    }

    var needsJSON: Bool {
        if case .body = form { true } else { false }
    }

    /// Returns the first page of ``Readable/readAll(parameters:)``. With ``headers``, it has no number and no size.
    func firstOfAll<Model>(parameters: Parameters) throws(ServiceError) -> Page<Model> {
        if case .headers = form { return Page(at: .start, parameters: parameters) }
        return try page(nil, size: nil, parameters: parameters)
    }

    func request<Model>(_ page: Page<Model>, of path: Request.Path, _ service: WebService) -> ServiceTask {
        var parameters = page.parameters
        var options: [Request.Option] = []
        switch (page.position, form) {
        case (.url(let url), _): return service.GET(Request.Path(url.absoluteString))
        case (.number(let number), .headers(let name)), (.number(let number), .link(let name)):
            parameters[name] = number
        case (.offset(let offset), .offset(let name, _)): parameters[name] = offset
        case (.cursor(let cursor), .body(let members)): parameters[members.cursor ?? "cursor"] = cursor
        case (let position, .custom(let custom)):
            if page.requestedSize != nil { parameters[sizeName] = nil }
            options = [.query(parameters)]
            parameters = custom.parameters(position)
        default: break
        }
        if let size = page.requestedSize { parameters[sizeName] = size }
        return service.GET(path, parameters: parameters, options: options)
    }

    private func invalid(_ detail: String) -> ServiceError {
        ServiceError(.invalidRequest, detail: detail)
    }
}
