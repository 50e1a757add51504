import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The server's response to a request for a page. A ``Pagination`` turns it into a ``Page``.
struct PageAnswer<Entity: Sendable>: Sendable {
    let items: [Entity]
    let reference: PageReference
    let response: HTTPURLResponse
    let json: JSON

    func page(_ pagination: Pagination) throws -> Page<Entity> {
        switch pagination.form {
        case .headers: return try pageByHeaders()
        case .link: return try page(pageByLinks())
        case .body(let members): return try page(headByBody(members))
        case .offset: return page(headByOffset())
        case .custom(let custom): return page(try custom.read(answer))
        }
    }

    /// Returns a page with the complete list if the server didn't divide it. Otherwise, returns the first page.
    func pageOfAll(_ pagination: Pagination) throws -> Page<Entity> {
        guard case .headers = pagination.form else { return try page(pagination) }
        let fields = ["X-Total", "X-Per-Page", "X-Page"].map { response.value(forHTTPHeaderField: $0) }
        let total = fields[0].flatMap { Int($0.trimmingSpaces) }
        if total == items.count || fields.allSatisfy({ $0 == nil }) { return page(head) }
        return try pageByHeaders()
    }

    private var answer: PageContent {
        PageContent(
            response: response, json: json, count: items.count, position: reference.position,
            size: reference.size)
    }

    private var head: PageHead {
        PageHead(headers: Headers(response), envelope: json.kind == .object ? json : .missing)
    }

    private func page(_ head: PageHead) -> Page<Entity> {
        var head = head
        if head.headers.isEmpty { head.headers = Headers(response) }
        if !head.envelope.exists, json.kind == .object { head.envelope = json }
        return Page(
            items: items, number: reference.number, size: reference.size, reference: reference,
            url: response.url, head: head)
    }

    private func failure(_ detail: String) -> ServiceError {
        ServiceError(pagination: detail, response: response)
    }
}

// MARK: - X-Total, X-Per-Page, X-Page

extension PageAnswer {
    private func pageByHeaders() throws(ServiceError) -> Page<Entity> {
        let total = try number("X-Total", from: 0)
        let size = try number("X-Per-Page", from: 1)
        let number = try number("X-Page", from: 1)
        let (end, overflows) = number.multipliedReportingOverflow(by: size)
        let hasMore = !items.isEmpty && !overflows && end < total
        var head = head
        head.total = total
        head.next = hasMore ? .number(number + 1) : nil
        head.previous = number > 1 ? .number(number - 1) : nil
        let reference = PageReference(
            position: .number(number), number: number, size: reference.size, parameters: reference.parameters)
        return Page(
            items: items, number: number, size: size, reference: reference, url: response.url, head: head)
    }

    private func number(_ name: String, from minimum: Int) throws(ServiceError) -> Int {
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
}

// MARK: - Link

extension PageAnswer {
    private func pageByLinks() throws(ServiceError) -> PageHead {
        var head = head
        let links = response.links()
        head.links = links.compactMapValues { $0 }
        if let next = links["next"] {
            guard let next else {
                throw failure("the link to the next page can't be followed: \(head.headers["Link"] ?? "")")
            }
            head.next = .url(next)
        }
        head.previous = (head.links["prev"] ?? head.links["previous"]).map(PagePosition.url)
        return head
    }

}

// MARK: - Members of the body

extension PageAnswer {
    private func headByBody(_ members: Pagination.Members) throws(ServiceError) -> PageHead {
        var head = head
        if let path = members.total {
            let total = json.member(path)
            guard let count = total.int, count >= 0 else {
                throw failure("\(path.joined(separator: ".")) is not a number of entities")
            }
            head.total = count
        }
        head.links = links(beside: members.next)
        head.next = try position(members.next, members.cursor)
        if let previous = members.previous {
            head.previous = try position(previous, members.cursor)
        } else {
            head.previous = (head.links["prev"] ?? head.links["previous"]).map(PagePosition.url)
        }
        return head
    }

    /// Returns the URLs next to the URL of the next page, by their names. At the response's root, only the usual names
    /// count as links.
    private func links(beside next: [String]) -> [String: URL] {
        var references: [String: String] = [:]
        let relations: Set<String> = ["next", "prev", "previous", "first", "last", "self"]
        for (name, value) in json.member(Array(next.dropLast())).members {
            let relation = name.lowercased()
            guard next.count > 1 || relations.contains(relation), let text = value.string, text.isURLReference
            else { continue }
            references[relation] = references[relation] ?? text
        }
        return response.links(references).compactMapValues { $0 }
    }

    private func position(_ path: [String], _ cursor: String?) throws(ServiceError) -> PagePosition? {
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
    fileprivate func member(_ path: [String]) -> JSON {
        path.reduce(self) { $0[$1] }
    }
}

extension String {
    fileprivate var isURLReference: Bool {
        let start = prefix(8).lowercased()
        return ["/", "?", "http://", "https://"].contains { start.hasPrefix($0) }
    }
}

extension String {
    /// The text without spaces and tabs around it (RFC 9110 §5.6.3).
    fileprivate var trimmingSpaces: String { trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
}

// MARK: - Position

extension PageAnswer {
    private func headByOffset() -> PageHead {
        var head = head
        guard case .offset(let offset) = reference.position, let size = reference.size else { return head }
        let (end, overflows) = offset.addingReportingOverflow(items.count)
        if items.count >= size, !overflows { head.next = .offset(end) }
        if offset > 0 { head.previous = .offset(max(0, offset - size)) }
        return head
    }
}
