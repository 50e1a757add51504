import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A part of a list, and what the server says about the rest.
public struct Page<Entity: Sendable>: Sendable {
    /// The entities.
    public let items: [Entity]
    /// The page's number, counted from 1; nil where it was read by its URL.
    public let number: Int?
    /// How many entities a page has at most: what the server says, or what was asked for; nil where neither is known.
    public let size: Int?
    /// How many entities there are on all pages, where the server says so.
    public let total: Int?
    /// The pages that a `Link` header or, with ``Pagination/body(next:cursor:size:total:previous:)-([String],_,_,_,_)``,
    /// the body names, by relation in lower case: `next`, `prev`, `first`, `last` mostly. Read them with
    /// ``Readable/read(pageAt:)``.
    public let links: [String: URL]
    /// The header fields of the answer.
    public let headers: Headers
    /// The object that the entities came in, with its other members; ``JSON/missing`` where the answer is a bare list.
    public let envelope: JSON
    /// Where the page after this one is; nil for the last one.
    public let next: PagePosition?
    /// Where the page before this one is; nil for the first one, and where the server doesn't say.
    public let previous: PagePosition?

    let reference: PageReference
    /// The URL of the answer.
    let url: URL?

    /// Whether there is a page after this one.
    public var hasMore: Bool { next != nil }

    /// Makes a page of entities of your own, for tests and previews.
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

    /// What to ask for after this page.
    var following: PageReference? { next.map { reference.moved(to: $0, by: 1) } }
    /// What to ask for before this page.
    var preceding: PageReference? { previous.map { reference.moved(to: $0, by: -1) } }
}

/// Where in a list a page is, in one of the ways that servers count.
public enum PagePosition: Sendable, Hashable {
    /// Whatever the server begins with.
    case start
    /// The number of the page, counted from 1.
    case number(Int)
    /// The position of the page's first entity, counted from 0.
    case offset(Int)
    /// What the server gave for it.
    case cursor(String)
    /// A URL that the server gave for it.
    case url(URL)
}

/// What a page's answer says about the whole list.
struct PageHead: Sendable {
    var headers: Headers = [:]
    var envelope = JSON.missing
    var total: Int?
    var links: [String: URL] = [:]
    var next: PagePosition?
    var previous: PagePosition?
}

/// Which page of a list to ask for.
struct PageReference: Sendable {
    let position: PagePosition
    let number: Int?
    let size: Int?
    /// The other items of the query.
    let parameters: Parameters

    /// The reference to the page at a distance from this one.
    func moved(to position: PagePosition, by distance: Int) -> PageReference {
        let moved = number.flatMap { number -> Int? in
            let (sum, overflows) = number.addingReportingOverflow(distance)
            return overflows || sum < 1 ? nil : sum
        }
        return PageReference(position: position, number: moved, size: size, parameters: parameters)
    }
}

extension ServiceError {
    /// An answer whose pages can't be followed.
    init(pagination detail: String, response: HTTPURLResponse?) {
        self.init(.invalidResponse, detail: detail, response: response)
    }
}
