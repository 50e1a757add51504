import Foundation
import Swallow

extension Page {
    /// Returns the page with the response's data. With `mayBeAll`, the response may be the complete list instead.
    func read(
        _ items: [Model], from content: PageContent, by pagination: Pagination, mayBeAll: Bool
    ) throws -> Page {
        var page = self
        page.items = items
        page.url = content.response.url
        page.headers = Headers(content.response)
        if content.json.kind == .object { page.envelope = content.json }
        switch pagination.form {
        case .headers:
            if !mayBeAll || content.isDivided { try page.readHeaders(of: content) }
        case .link: try page.readLinks(of: content)
        case .body(let members): try page.readBody(of: content, members)
        case .offset: page.readOffset()
        case .custom(let custom):
            page.total = try custom.total?(content)
            page.next = try custom.next(content)
            page.previous = try custom.previous?(content)
        }
        return page
    }

    private mutating func readHeaders(of content: PageContent) throws(ServiceError) {
        let total = try content.number("X-Total", from: 0)
        let size = try content.number("X-Per-Page", from: 1)
        let number = try content.number("X-Page", from: 1)
        let (end, overflows) = number.multipliedReportingOverflow(by: size)
        (self.total, self.size, self.number, position) = (total, size, number, .number(number))
        if !items.isEmpty, !overflows, end < total { next = .number(number + 1) }
        if number > 1 { previous = .number(number - 1) }
    }

    private mutating func readLinks(of content: PageContent) throws(ServiceError) {
        let links = content.response.links()
        self.links = links.compactMapValues { $0 }
        if let link = links["next"] {
            guard let link else {
                throw content.failure("the link to the next page can't be followed: \(headers["Link"] ?? "")")
            }
            next = .url(link)
        }
        previous = linkedPrevious
    }

    private mutating func readBody(of content: PageContent, _ members: Pagination.Members)
        throws(ServiceError)
    {
        if let path = members.total {
            guard let count = content.json.member(path).int, count >= 0 else {
                throw content.failure("\(path.joined(separator: ".")) is not a number of models")
            }
            total = count
        }
        links = content.links(beside: members.next)
        next = try content.position(members.next, members.cursor)
        if let path = members.previous {
            previous = try content.position(path, members.cursor)
        } else {
            previous = linkedPrevious
        }
    }

    private mutating func readOffset() {
        guard case .offset(let offset) = position, let requestedSize else { return }
        let (end, overflows) = offset.addingReportingOverflow(items.count)
        if items.count >= requestedSize, !overflows { next = .offset(end) }
        if offset > 0 { previous = .offset(max(0, offset - requestedSize)) }
    }

    private var linkedPrevious: PagePosition? { (links["prev"] ?? links["previous"]).map(PagePosition.url) }
}

extension PageContent {
    fileprivate func failure(_ detail: String) -> ServiceError {
        ServiceError(pagination: detail, response: response)
    }

    /// Whether the response is a page and not the complete list, as its header fields show.
    fileprivate var isDivided: Bool {
        let fields = ["X-Total", "X-Per-Page", "X-Page"].map { response.value(forHTTPHeaderField: $0) }
        if fields[0].flatMap({ Int($0.trimmingSpaces) }) == count { return false }
        return fields.contains { $0 != nil }
    }

    fileprivate func number(_ name: String, from minimum: Int) throws(ServiceError) -> Int {
        guard let text = response.value(forHTTPHeaderField: name) else {
            throw failure("the header \(name) is missing")
        }
        let digits = text.trimmingSpaces
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
            number >= minimum
        else {
            throw failure("the header \(name) is \"\(text)\", but it must be a number of at least \(minimum)")
        }
        return number
    }

    /// Returns the URLs in the object with the member `next`, by lowercase name. In the root, only relations such as
    /// `prev` count, because other members may also be URLs.
    fileprivate func links(beside next: [String]) -> [String: URL] {
        var references: [String: String] = [:]
        let relations: Set<String> = ["next", "prev", "previous", "first", "last", "self"]
        for (name, value) in json.member(next.dropLast()).members {
            let relation = name.lowercased()
            guard next.count > 1 || relations.contains(relation), let text = value.string, text.isURLReference
            else { continue }
            references[relation] = references[relation] ?? text
        }
        return response.links(references).compactMapValues { $0 }
    }

    fileprivate func position(_ path: [String], _ cursor: String?) throws(ServiceError) -> PagePosition? {
        let member = json.member(path)
        if !member.exists || member.isNull || member.bool == false { return nil }
        if let number = member.int { return .cursor(String(number)) }
        guard let text = member.string else {
            throw failure("\(path.joined(separator: ".")) is neither a cursor nor a URL")
        }
        if text.isEmpty { return nil }
        guard cursor == nil, text.isURLReference else { return .cursor(text) }
        guard let url = response.links(["next": text])["next"] ?? nil else {
            throw failure("\(path.joined(separator: ".")) does not lead to an HTTP URL")
        }
        return .url(url)
    }
}

extension JSON {
    fileprivate func member(_ path: some Sequence<String>) -> JSON {
        path.reduce(self) { $0[$1] }
    }
}

extension String {
    fileprivate var isURLReference: Bool {
        let start = prefix(8).lowercased()
        return ["/", "?", "http://", "https://"].contains { start.hasPrefix($0) }
    }

    fileprivate var trimmingSpaces: String { trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
}
