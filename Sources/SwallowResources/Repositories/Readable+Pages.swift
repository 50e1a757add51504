import Foundation
import Swallow

extension Readable {
    /// Reads one page of the list as the repository's ``pagination`` specifies: `GET /users?page=2&per_page=20`.
    ///
    /// The future fails with `.invalidRequest`, and nothing is sent, if the page or the size is below 1.
    /// `Pagination.body` can't request a later page by number, so the future also fails for pages above 1.
    ///
    /// - Parameters:
    ///   - page: The page's number, counted from 1.
    ///   - size: The maximum number of models on the page. By default, the pagination or the server decides.
    ///   - parameters: The parameters for the query. The default is none.
    public func read(page: Int, size: Int? = nil, parameters: Parameters = [:]) -> ServiceFuture<Page<Model>>
    {
        do throws(ServiceError) {
            return read(try pagination.page(page, size: size, parameters: parameters))
        } catch {
            return ServiceFuture(error: error)
        }
    }

    /// Reads the page after a page. If ``Page/next`` is `nil`, the future fails with `.invalidRequest`.
    public func read(after page: Page<Model>) -> ServiceFuture<Page<Model>> {
        guard let next = page.following else {
            return ServiceFuture(
                error: ServiceError(.invalidRequest, detail: "there is no page after the last page"))
        }
        if next.position == page.position || page.url.map({ next.position == .url($0) }) == true {
            return ServiceFuture(error: ServiceError.repeatedPage(next.position))
        }
        return read(next)
    }

    /// Reads the page before a page. If ``Page/previous`` is `nil`, the future fails with `.invalidRequest`.
    public func read(before page: Page<Model>) -> ServiceFuture<Page<Model>> {
        guard let previous = page.preceding else {
            return ServiceFuture(
                error: ServiceError(.invalidRequest, detail: "the page before this page isn't known"))
        }
        return read(previous)
    }

    /// Reads the page at a URL, for example at `last` in ``Page/links``.
    public func read(pageAt url: URL) -> ServiceFuture<Page<Model>> {
        read(Page(at: .url(url.absoluteURL)))
    }

    /// Returns the list's pages, which are read one after another.
    ///
    /// - Parameters:
    ///   - size: The maximum number of models on a page. By default, the pagination or the server decides.
    ///   - parameters: The parameters for the query. The default is none.
    ///   - prefetching: Whether to request each page when the loop receives the page before it. The default is false.
    public func pages(
        size: Int? = nil, parameters: Parameters = [:], prefetching: Bool = false
    ) -> PageSequence<Page<Model>> {
        sequence(size, parameters, prefetching) { [$0] }
    }

    /// Returns the list's models, read page by page. See ``pages(size:parameters:prefetching:)``.
    public func models(
        size: Int? = nil, parameters: Parameters = [:], prefetching: Bool = false
    ) -> PageSequence<Model> {
        sequence(size, parameters, prefetching) { $0.items }
    }

    private func sequence<Element>(
        _ size: Int?, _ parameters: Parameters, _ prefetches: Bool,
        _ elements: @escaping @Sendable (Page<Model>) -> [Element]
    ) -> PageSequence<Element> {
        let start = Result { () throws(ServiceError) in
            try pagination.page(nil, size: size, parameters: parameters) as Page<Model>
        }
        return PageSequence(start: start, prefetches: prefetches, read: { read($0) }, elements: elements)
    }

    /// Reads a page. With `mayBeAll`, the response may be the complete list instead.
    func read(_ page: Page<Model>, mayBeAll: Bool = false) -> ServiceFuture<Page<Model>> {
        service.future(of: page, at: name, pagination, envelope.list(decoding), mayBeAll: mayBeAll)
    }
}

extension WebService {
    func future<Model>(
        of page: Page<Model>, at path: Request.Path, _ pagination: Pagination, _ decoding: Decoding<[Model]>,
        mayBeAll: Bool = false
    ) -> ServiceFuture<Page<Model>> {
        future(of: JSON.self) { service in
            pagination.request(page, of: path, service)
        } reading: { content in
            guard let response = content.head.content else { throw ServiceError.invalidResponse }
            let items = try content.decoded(with: decoding)
            // Models that `recover` returned may have no JSON body. Only `Pagination.body` needs JSON.
            let json = try pagination.needsJSON ? content.json : (try? content.json) ?? .missing
            let content = PageContent(
                response: response, json: json, count: items.count, position: page.position,
                size: page.requestedSize)
            return try page.read(items, from: content, by: pagination, mayBeAll: mayBeAll)
        }
    }
}

extension TaskContent {
    fileprivate var json: JSON {
        get throws(ServiceError) { try decoded(with: .json) }
    }
}
