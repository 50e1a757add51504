import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a server divides a list into pages: how a page is asked for, and where it says what follows.
///
/// ```swift
/// let pagination: Pagination = .link
///
/// let pagination: Pagination = .body(next: ["paging", "next"], cursor: "after")
/// ```
///
/// Where an answer lacks what the strategy needs, or has it in a form that can't be read, the future ends with
/// `.invalidResponse`, and the error's description says what is wrong. A page to follow that was there before is
/// such an error too.
public struct Pagination: Sendable {
    enum Form: Sendable {
        case headers(page: String)
        case link(page: String)
        case body(Members)
        case offset(String, limit: Int)
        case custom(Custom)
    }

    /// Paths of members, and the parameter that takes a cursor.
    struct Members: Sendable {
        let next: [String]
        let cursor: String?
        let total: [String]?
        let previous: [String]?
    }

    let form: Form
    /// The parameter for the number of entities on a page.
    let sizeName: String

    /// Pages by number: `?page=2&per_page=20`. The header fields `X-Total`, `X-Per-Page` and `X-Page`, all three of
    /// them, say what came. An empty page is the last one.
    public static let headers = headers(page: "page", size: "per_page")

    /// Pages by number, with other names for the query's parameters.
    public static func headers(page: String = "page", size: String = "per_page") -> Pagination {
        Pagination(form: .headers(page: page), sizeName: size)
    }

    /// Pages by links: `?page=2&per_page=20`, or `?per_page=20` for the first one, and then the URL that the header
    /// field `Link` gives with the relation `next` (RFC 8288), resolved against the answer's own. Without such a link
    /// a page is the last one.
    ///
    /// Malformed links, and links that don't lead to an HTTP URL, are left out. If this concerns the relation `next`, the
    /// future fails, so that a list is never cut short.
    ///
    /// As with every request, configured headers go to the base URL's origin only, wherever a link leads.
    public static let link = link(page: "page", size: "per_page")

    /// Pages by links, with other names for the query's parameters.
    public static func link(page: String = "page", size: String = "per_page") -> Pagination {
        Pagination(form: .link(page: page), sizeName: size)
    }

    /// Pages by what a member of the answer says: `{"items": […], "next": …}`. Where the member is missing, `null`,
    /// `false` or empty, a page is the last one.
    ///
    /// - Parameters:
    ///   - next: the path of members, from the answer's root. It ends at a string or an integer.
    ///   - cursor: the parameter that takes what `next` gives. Nil, the default, takes it for a URL, resolved against
    ///     the answer's own, where it begins with `http://`, `https://`, `/` or `?`, and sends anything else as
    ///     `cursor`.
    ///   - size: the parameter for the number of entities on a page.
    ///   - total: the path to the number of entities on all pages; nil, the default, for none.
    ///   - previous: the path to what leads back, read as `next` is; nil, the default, takes a URL that is called
    ///     `prev` or `previous` and stands beside `next`.
    public static func body(
        next: [String], cursor: String? = nil, size: String = "per_page", total: [String]? = nil,
        previous: [String]? = nil
    ) -> Pagination {
        let members = Members(next: next, cursor: cursor, total: total, previous: previous)
        return Pagination(form: .body(members), sizeName: size)
    }

    /// Pages by what a member at the answer's root says. See
    /// ``body(next:cursor:size:total:previous:)-([String],_,_,_,_)``.
    public static func body(
        next: String, cursor: String? = nil, size: String = "per_page", total: [String]? = nil,
        previous: [String]? = nil
    ) -> Pagination {
        body(next: [next], cursor: cursor, size: size, total: total, previous: previous)
    }

    /// Pages by position: `?offset=40&limit=20`. A page with fewer entities than asked for is the last one, so ask for
    /// no more than the server is willing to give.
    ///
    /// - Parameters:
    ///   - limit: the number of entities on a page, where the caller gives none.
    ///   - offset: the parameter for the position of the first entity, counted from 0.
    ///   - size: the parameter for the number of entities on a page.
    public static func offset(
        limit: Int, offset: String = "offset", size: String = "limit"
    ) -> Pagination {
        Pagination(form: .offset(offset, limit: limit), sizeName: size)
    }
}

// MARK: - Asking

extension Pagination {
    /// The reference to a page by its number; nil is the first.
    func reference(
        page: Int?, size: Int?, parameters: Parameters
    ) throws(ServiceError) -> PageReference {
        let number = page ?? 1
        if number < 1 { throw invalid("pages are counted from 1, so there is no page \(number)") }
        if let size, size < 1 { throw invalid("a page has at least one entity, not \(size)") }
        var size = size
        let position: PagePosition
        switch form {
        case .headers: position = .number(number)
        case .link: position = page.map(PagePosition.number) ?? .start
        case .body:
            if number > 1 { throw invalid("page \(number) can only be read after the one before it") }
            position = .start
        case .offset(_, let limit):
            if limit < 1 { throw invalid("a page has at least one entity, not \(limit)") }
            size = size ?? limit
            let (offset, overflows) = (number - 1).multipliedReportingOverflow(by: size ?? limit)
            if overflows { throw invalid("page \(number) is out of range") }
            position = .offset(offset)
        case .custom: position = page.map(PagePosition.number) ?? .start
        }
        return PageReference(position: position, number: number, size: size, parameters: parameters)
    }

    /// Whether the body has to be JSON.
    var needsJSON: Bool {
        if case .body = form { true } else { false }
    }

    /// The reference to the whole list: its first page, however large, where the server divides it.
    func referenceToAll(parameters: Parameters) throws(ServiceError) -> PageReference {
        if case .headers = form {
            return PageReference(position: .start, number: nil, size: nil, parameters: parameters)
        }
        return try reference(page: nil, size: nil, parameters: parameters)
    }

    /// Makes the request for a page of the list at a path.
    func request(
        _ reference: PageReference, of path: Request.Path, _ service: WebService
    ) -> ServiceTask {
        var parameters = reference.parameters
        switch (reference.position, form) {
        case (.url(let url), _): return service.GET(Request.Path(url.absoluteString))
        case (.number(let number), .headers(let name)), (.number(let number), .link(let name)):
            parameters[name] = number
        case (.offset(let offset), .offset(let name, _)): parameters[name] = offset
        case (.cursor(let cursor), .body(let members)): parameters[members.cursor ?? "cursor"] = cursor
        case (let position, .custom(let custom)):
            parameters.members += custom.parameters(position).members
        default: break
        }
        if let size = reference.size { parameters[sizeName] = size }
        return service.GET(path, parameters: parameters)
    }

    private func invalid(_ detail: String) -> ServiceError {
        ServiceError(.invalidRequest, detail: detail)
    }
}
