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
    /// The pages that a `Link` header names, by relation in lower case: `next`, `prev`, `first`, `last` mostly. Read
    /// them with ``Readable/read(pageAt:)``.
    public let links: [String: URL]

    /// What was asked for.
    let reference: PageReference
    /// The URL that answered.
    let url: URL?
    /// What to ask for next, unless this is the last page.
    let next: PageReference?

    /// Whether there is a page after this one.
    public var hasMore: Bool { next != nil }
}

/// Which page of a list to ask for.
struct PageReference: Sendable {
    enum Position: Sendable, Hashable {
        /// Whatever the server begins with.
        case start
        case number(Int)
        case offset(Int)
        case cursor(String)
        case url(URL)
    }

    let position: Position
    let number: Int?
    let size: Int?
    /// What else goes into the query.
    let parameters: Parameters

    /// The reference to the page that follows.
    func following(_ position: Position) -> PageReference {
        let next = number.flatMap { number in number < .max ? number + 1 : nil }
        return PageReference(position: position, number: next, size: size, parameters: parameters)
    }
}

extension ServiceError {
    /// An answer whose pages can't be followed.
    init(pagination detail: String, response: HTTPURLResponse?) {
        self.init(.invalidResponse, detail: detail, response: response)
    }
}
