import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Readable {
    /// Reads one page of the list as the repository's ``pagination`` specifies: `GET /users?page=2&per_page=20`.
    ///
    /// The future fails with `.invalidRequest`, and nothing is sent, if the page or the size is below 1. It also fails
    /// for a page after the first if the server counts by cursor.
    ///
    /// - Parameters:
    ///   - page: The page's number, counted from 1.
    ///   - size: The maximum number of entities on the page. `nil`, the default, leaves it to the server.
    ///   - parameters: The parameters for the query. The default is none.
    public func read(page: Int, size: Int? = nil, parameters: Parameters = [:]) -> ServiceFuture<Page<Entity>>
    {
        do throws(ServiceError) {
            return read(try pagination.reference(page: page, size: size, parameters: parameters))
        } catch {
            return ServiceFuture(error: error)
        }
    }

    /// Reads the page that follows another, with the same size and parameters.
    ///
    /// After the last page, when ``Page/hasMore`` is false, the future fails with `.invalidRequest`, and nothing is
    /// sent.
    public func read(after page: Page<Entity>) -> ServiceFuture<Page<Entity>> {
        guard let next = page.following else {
            return ServiceFuture(
                error: ServiceError(.invalidRequest, detail: "there is no page after the last page"))
        }
        if next.position == page.reference.position || page.url.map({ next.position == .url($0) }) == true {
            return ServiceFuture(error: ServiceError.repeatedPage(next))
        }
        return read(next)
    }

    /// Reads the page that precedes another, with the same size and parameters.
    ///
    /// The future fails with `.invalidRequest`, and nothing is sent, before the first page and if the server doesn't
    /// report which page comes before.
    public func read(before page: Page<Entity>) -> ServiceFuture<Page<Entity>> {
        guard let previous = page.preceding else {
            return ServiceFuture(
                error: ServiceError(.invalidRequest, detail: "the page before this page isn't known"))
        }
        return read(previous)
    }

    /// Reads the page at a URL, for example the URL that ``Page/links`` has for `last`.
    public func read(pageAt url: URL) -> ServiceFuture<Page<Entity>> {
        read(PageReference(position: .url(url.absoluteURL), number: nil, size: nil, parameters: [:]))
    }

    /// Returns the list's pages. Each page is read when the loop requests it.
    ///
    /// - Parameters:
    ///   - size: The maximum number of entities on a page. `nil`, the default, leaves it to the server.
    ///   - parameters: The parameters for the query. The default is none.
    ///   - prefetching: Whether a page is requested as soon as the page before it has arrived. The default is false.
    public func pages(
        size: Int? = nil, parameters: Parameters = [:], prefetching: Bool = false
    ) -> PageSequence<Entity> {
        let start = Result { () throws(ServiceError) in
            try pagination.reference(page: nil, size: size, parameters: parameters)
        }
        return PageSequence(start: start, prefetches: prefetching) { reference in read(reference) }
    }

    /// Returns the list's entities, read page by page. See ``pages(size:parameters:prefetching:)``.
    public func entities(
        size: Int? = nil, parameters: Parameters = [:], prefetching: Bool = false
    ) -> EntitySequence<Entity> {
        EntitySequence(pages: pages(size: size, parameters: parameters, prefetching: prefetching))
    }

    /// Reads a page.
    ///
    /// - Parameter isWhole: Whether the response may be a complete list that the server doesn't divide.
    func read(_ reference: PageReference, isWhole: Bool = false) -> ServiceFuture<Page<Entity>> {
        let (name, pagination, decoding) = (name, pagination, envelope.list(decoding))
        return service.future(of: JSON.self) { service in
            pagination.request(reference, of: name, service)
        } reading: { content in
            guard let response = content.head.content else { throw ServiceError.invalidResponse }
            let items = try content.decoded(with: decoding)
            // The body is already parsed, unless a transformer creates the entities. In that case, there may be no
            // JSON.
            let json = try pagination.needsJSON ? content.json : (try? content.json) ?? .missing
            let answer = PageAnswer(items: items, reference: reference, response: response, json: json)
            return isWhole ? try answer.pageOfAll(pagination) : try answer.page(pagination)
        }
    }
}

extension TaskContent {
    fileprivate var json: JSON {
        get throws(ServiceError) { try decoded(with: .json) }
    }
}

extension ServiceError {
    /// Returns the error of a page that leads back to an earlier page.
    static func repeatedPage(_ reference: PageReference) -> ServiceError {
        ServiceError(pagination: "the next page was already read: \(reference.position)", response: nil)
    }
}
