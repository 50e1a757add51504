import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server's answer to a request for a page: what follows from it, by a ``Pagination``.
struct PageAnswer<Entity: Sendable>: Sendable {
    let items: [Entity]
    let reference: PageReference
    let response: HTTPURLResponse
    /// The body; only where the pagination looks into it.
    let json: JSON

    func page(_ pagination: Pagination) throws(ServiceError) -> Page<Entity> {
        switch pagination.form {
        case .headers: try pageByHeaders()
        case .link: try pageByLinks()
        case .body(let next, let cursor, let total): try pageByBody(next, cursor, total)
        case .offset: pageByOffset()
        }
    }

    private func page(
        number: Int?, size: Int?, total: Int? = nil, links: [String: URL] = [:], next: PageReference?
    ) -> Page<Entity> {
        Page(
            items: items, number: number, size: size, total: total, links: links, reference: reference,
            url: response.url, next: next)
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
        let next = PageReference(
            position: .number(number), number: number, size: reference.size, parameters: reference.parameters)
        return page(
            number: number, size: size, total: total,
            next: hasMore ? next.following(.number(number + 1)) : nil)
    }

    private func number(_ name: String, from minimum: Int) throws(ServiceError) -> Int {
        guard let text = response.value(forHTTPHeaderField: name) else {
            throw failure("the header \(name) is missing")
        }
        let digits = text.trimmingCharacters(in: .whitespaces)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
            number >= minimum
        else {
            throw failure("the header \(name) is \"\(text)\", not a number from \(minimum) on")
        }
        return number
    }
}

// MARK: - Link

extension PageAnswer {
    private func pageByLinks() throws(ServiceError) -> Page<Entity> {
        var links: [String: URL] = [:]
        if let field = response.value(forHTTPHeaderField: "Link") {
            guard let header = LinkHeader(field) else {
                throw failure("the header Link is malformed: \(field)")
            }
            for (relation, target) in header.targets { links[relation] = try url(target) }
        }
        return page(
            number: reference.number, size: reference.size, links: links,
            next: links["next"].map { reference.following(.url($0)) })
    }

    /// The URL that a reference names from here (RFC 3986 §5.2).
    private func url(_ target: String) throws(ServiceError) -> URL {
        guard let url = URL(string: target, relativeTo: response.url)?.absoluteURL, Origin(url) != nil else {
            throw failure("the link \"\(target)\" does not lead to an HTTP URL")
        }
        return url
    }
}

// MARK: - Members of the body

extension PageAnswer {
    private func pageByBody(
        _ nextPath: [String], _ cursor: String?, _ totalPath: [String]?
    ) throws(ServiceError) -> Page<Entity> {
        var total: Int?
        if let totalPath {
            let member = member(totalPath)
            guard let count = member.int, count >= 0 else {
                throw failure("\(totalPath.joined(separator: ".")) is \(member), not a number of entities")
            }
            total = count
        }
        return page(
            number: reference.number, size: reference.size, total: total,
            next: try position(member(nextPath), nextPath, cursor).map(reference.following))
    }

    private func member(_ path: [String]) -> JSON {
        path.reduce(json) { $0[$1] }
    }

    private func position(
        _ next: JSON, _ path: [String], _ cursor: String?
    ) throws(ServiceError) -> PageReference.Position? {
        if !next.exists || next.isNull || next.bool == false { return nil }
        if let number = next.int { return .cursor(String(number)) }
        guard let text = next.string else {
            throw failure("\(path.joined(separator: ".")) is \(next), neither a cursor nor a URL")
        }
        if text.isEmpty { return nil }
        let isURL = cursor == nil && (text.pathOfHTTPURL != nil || text.hasPrefix("/") || text.hasPrefix("?"))
        return isURL ? .url(try url(text)) : .cursor(text)
    }
}

// MARK: - Position

extension PageAnswer {
    private func pageByOffset() -> Page<Entity> {
        var next: PageReference?
        if case .offset(let offset) = reference.position, let size = reference.size, items.count >= size {
            let (end, overflows) = offset.addingReportingOverflow(items.count)
            if !overflows { next = reference.following(.offset(end)) }
        }
        return page(number: reference.number, size: reference.size, next: next)
    }
}
