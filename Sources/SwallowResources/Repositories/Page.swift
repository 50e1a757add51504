import Foundation
import Swallow

/// A page of a list, and the server's information about the other pages.
public struct Page<Model: Sendable>: Sendable {
    /// The models on the page.
    public internal(set) var items: [Model] = []
    /// The page's number, counted from 1. `nil` if it isn't known.
    public internal(set) var number: Int?
    /// The maximum number of models on a page, as reported by the server or as requested. `nil` if neither is known.
    public internal(set) var size: Int?
    /// The number of models on all pages. `nil` if it isn't known.
    public internal(set) var total: Int?
    /// The URLs of related pages by lowercase relation, such as `next` and `last`. ``Pagination/link`` reads them from
    /// the `Link` header, `Pagination.body` from the body. Read a page with ``Readable/read(pageAt:)``.
    public internal(set) var links: [String: URL] = [:]
    /// The header fields of the response.
    public internal(set) var headers: Headers = [:]
    /// The response's body if it is a JSON object, otherwise `JSON.missing`.
    public internal(set) var envelope = JSON.missing
    /// The position of the next page. `nil` for the last page, and if it isn't known.
    public internal(set) var next: PagePosition?
    /// The position of the previous page. `nil` for the first page, and if it isn't known.
    public internal(set) var previous: PagePosition?

    var position: PagePosition
    let requestedSize: Int?
    let parameters: Parameters
    var url: URL?

    /// Whether ``next`` isn't `nil`.
    public var hasMore: Bool { next != nil }

    /// Creates a page of models, for tests and previews.
    public init(
        items: [Model], number: Int? = nil, size: Int? = nil, total: Int? = nil, links: [String: URL] = [:],
        headers: Headers = [:], envelope: JSON = .missing, next: PagePosition? = nil,
        previous: PagePosition? = nil
    ) {
        self.init(at: number.map(PagePosition.number) ?? .start, number: number, size: size)
        self.items = items
        self.total = total
        self.links = links
        self.headers = headers
        self.envelope = envelope
        self.next = next
        self.previous = previous
    }

    init(at position: PagePosition, number: Int? = nil, size: Int? = nil, parameters: Parameters = [:]) {
        self.position = position
        self.number = number
        self.size = size
        requestedSize = size
        self.parameters = parameters
    }

    var following: Page? { next.map { moved(to: $0, by: 1) } }
    var preceding: Page? { previous.map { moved(to: $0, by: -1) } }

    private func moved(to position: PagePosition, by distance: Int) -> Page {
        let moved = number.flatMap { number -> Int? in
            let (sum, overflows) = number.addingReportingOverflow(distance)
            return overflows || sum < 1 ? nil : sum
        }
        return Page(at: position, number: moved, size: requestedSize, parameters: parameters)
    }
}

/// The position of a page in a list, in the forms that servers use.
public enum PagePosition: Sendable, Hashable {
    /// The first page.
    case start
    /// The number of the page, counted from 1.
    case number(Int)
    /// The position of the page's first model, counted from 0.
    case offset(Int)
    /// A cursor from the server.
    case cursor(String)
    /// The URL of the page.
    case url(URL)
}

extension ServiceError {
    init(pagination detail: String, response: HTTPURLResponse? = nil) {
        self.init(.invalidResponse, detail: detail, response: response)
    }

    static func repeatedPage(_ position: PagePosition) -> ServiceError {
        ServiceError(pagination: "the next page was already read: \(position)")
    }
}
