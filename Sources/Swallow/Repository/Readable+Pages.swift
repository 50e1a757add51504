import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Readable {
    /// Reads one page of the list: `GET /users?page=2&per_page=20`, or as the repository's ``pagination`` has it.
    ///
    /// A page or size below 1 ends the future with `.invalidRequest`, and so does a page after the first where the
    /// server counts by cursor; nothing is sent.
    ///
    /// - Parameters:
    ///   - page: its number, counted from 1.
    ///   - size: how many entities it has at most; nil, the default, leaves it to the server.
    ///   - parameters: go into the query; none by default.
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
    /// After the last page, where ``Page/hasMore`` is false, the future ends with `.invalidRequest`; nothing is sent.
    public func read(after page: Page<Entity>) -> ServiceFuture<Page<Entity>> {
        guard let next = page.following else {
            return ServiceFuture(
                error: ServiceError(.invalidRequest, detail: "there is no page after the last"))
        }
        if next.position == page.reference.position || page.url.map({ next.position == .url($0) }) == true {
            return ServiceFuture(error: ServiceError.repeatedPage(next))
        }
        return read(next)
    }

    /// Reads the page that precedes another, with the same size and parameters.
    ///
    /// Before the first page, and where the server doesn't say which page precedes one, the future ends with
    /// `.invalidRequest`; nothing is sent.
    public func read(before page: Page<Entity>) -> ServiceFuture<Page<Entity>> {
        guard let previous = page.preceding else {
            return ServiceFuture(
                error: ServiceError(.invalidRequest, detail: "no page is known before this one"))
        }
        return read(previous)
    }

    /// Reads the page at a URL, such as the one that ``Page/links`` has for `last`.
    public func read(pageAt url: URL) -> ServiceFuture<Page<Entity>> {
        read(PageReference(position: .url(url.absoluteURL), number: nil, size: nil, parameters: [:]))
    }

    /// The list's pages, each of them read when it is asked for.
    ///
    /// - Parameters:
    ///   - size: how many entities a page has at most; nil, the default, leaves it to the server.
    ///   - parameters: go into the query; none by default.
    ///   - prefetching: whether a page is asked for as soon as the one before it is there; false by default.
    public func pages(
        size: Int? = nil, parameters: Parameters = [:], prefetching: Bool = false
    ) -> PageSequence<Entity> {
        let start = Result { () throws(ServiceError) in
            try pagination.reference(page: nil, size: size, parameters: parameters)
        }
        return PageSequence(start: start, prefetches: prefetching) { reference in read(reference) }
    }

    /// The list's entities, page by page. See ``pages(size:parameters:prefetching:)``.
    public func entities(
        size: Int? = nil, parameters: Parameters = [:], prefetching: Bool = false
    ) -> EntitySequence<Entity> {
        EntitySequence(pages: pages(size: size, parameters: parameters, prefetching: prefetching))
    }

    /// Reads a page.
    ///
    /// - Parameter isWhole: whether a list that the server doesn't divide is fine.
    func read(_ reference: PageReference, isWhole: Bool = false) -> ServiceFuture<Page<Entity>> {
        let (name, pagination, decoding) = (name, pagination, envelope.list(decoding))
        return service.future { service in
            pagination.request(reference, of: name, service)
        } reading: { content in
            let (response, _) = try content.headAndBytes()
            let items = try content.decodedJSON(with: decoding)
            // Parsed already, unless a transformer makes the entities: then there may be no JSON.
            let json = pagination.needsJSON ? try content.json() : (try? content.json()) ?? .missing
            let answer = PageAnswer(items: items, reference: reference, response: response, json: json)
            return isWhole ? try answer.pageOfAll(pagination) : try answer.page(pagination)
        }
    }
}

extension ServiceError {
    /// The error of a page that leads back to one that was there before.
    static func repeatedPage(_ reference: PageReference) -> ServiceError {
        ServiceError(pagination: "the next page was there before: \(reference.position)", response: nil)
    }
}
