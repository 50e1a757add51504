import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Some of a list's entities, and the server's information about the rest of the list.
public struct Page<Entity: Sendable>: Sendable {
    /// The entities.
    public let items: [Entity]
    /// The page's number, counted from 1, or `nil` if the page was read by its URL.
    public let number: Int?
    /// The maximum number of entities on a page: the number that the server reports, otherwise the number in the
    /// request. `nil` if neither is known.
    public let size: Int?
    /// The number of entities on all pages, or `nil` if the server doesn't report it.
    public let total: Int?
    /// The URLs of related pages by lowercase relation, usually `next`, `prev`, `first` and `last`.
    ///
    /// They are taken from a `Link` header or, with
    /// ``Pagination/body(next:cursor:size:total:previous:)-([String],_,_,_,_)``, from the body. Read these pages with
    /// ``Readable/read(pageAt:)``.
    public let links: [String: URL]
    /// The header fields of the response.
    public let headers: Headers
    /// The JSON object that contains the entities, with its other members. It is `JSON.missing` if the response isn't
    /// a JSON object.
    public let envelope: JSON
    /// The position of the page after this one, or `nil` for the last page.
    public let next: PagePosition?
    /// The position of the page before this one. `nil` for the first page, and if the server doesn't report it.
    public let previous: PagePosition?

    let reference: PageReference
    /// The URL of the response.
    let url: URL?

    /// Whether there is a page after this one.
    public var hasMore: Bool { next != nil }

    /// Creates a page of entities, for tests and previews.
    public init(
        items: [Entity], number: Int? = nil, size: Int? = nil, total: Int? = nil, links: [String: URL] = [:],
        headers: Headers = [:], envelope: JSON = .missing, next: PagePosition? = nil,
        previous: PagePosition? = nil
    ) {
        let reference = PageReference(
            position: number.map(PagePosition.number) ?? .start, number: number, size: size, parameters: [:])
        self.init(
            items: items, number: number, size: size, reference: reference, url: nil,
            head: PageHead(
                headers: headers, envelope: envelope, total: total, links: links, next: next,
                previous: previous))
    }

    init(
        items: [Entity], number: Int?, size: Int?, reference: PageReference, url: URL?, head: PageHead
    ) {
        self.items = items
        self.number = number
        self.size = size
        self.reference = reference
        self.url = url
        total = head.total
        links = head.links
        headers = head.headers
        envelope = head.envelope
        next = head.next
        previous = head.previous
    }

    /// The reference to the page after this one.
    var following: PageReference? { next.map { reference.moved(to: $0, by: 1) } }
    /// The reference to the page before this one.
    var preceding: PageReference? { previous.map { reference.moved(to: $0, by: -1) } }
}

/// The position of a page in a list, in the forms that servers use.
public enum PagePosition: Sendable, Hashable {
    /// The server's first page.
    case start
    /// The number of the page, counted from 1.
    case number(Int)
    /// The position of the page's first entity, counted from 0.
    case offset(Int)
    /// A cursor from the server.
    case cursor(String)
    /// A URL from the server.
    case url(URL)
}

/// The information about the complete list in a page's response.
struct PageHead: Sendable {
    var headers: Headers = [:]
    var envelope = JSON.missing
    var total: Int?
    var links: [String: URL] = [:]
    var next: PagePosition?
    var previous: PagePosition?
}

/// The page of a list to request.
struct PageReference: Sendable {
    let position: PagePosition
    let number: Int?
    let size: Int?
    /// The other items of the query.
    let parameters: Parameters

    /// Returns the reference to the page at a distance from this one.
    func moved(to position: PagePosition, by distance: Int) -> PageReference {
        let moved = number.flatMap { number -> Int? in
            let (sum, overflows) = number.addingReportingOverflow(distance)
            return overflows || sum < 1 ? nil : sum
        }
        return PageReference(position: position, number: moved, size: size, parameters: parameters)
    }
}

extension ServiceError {
    /// Creates an error for a response whose pages can't be followed.
    init(pagination detail: String, response: HTTPURLResponse?) {
        self.init(.invalidResponse, detail: detail, response: response)
    }
}
