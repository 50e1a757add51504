import Foundation
import Swallow
import SwallowResources
import TestSupport
import Testing

@Suite("What a page says beside its entities")
struct PageContentTests {
    @Test("has a public initialiser")
    func initialiser() {
        let page = Page(
            items: [Member.ada], number: 2, size: 1, total: 9, headers: ["X": "y"],
            envelope: ["total": 9], next: .cursor("c"), previous: .number(1))
        #expect(page.hasMore && page.number == 2 && page.size == 1 && page.total == 9)
        #expect(page.headers["x"] == "y" && page.envelope["total"].int == 9)
        #expect(page.next == .cursor("c") && page.previous == .number(1))
        #expect(!Page(items: [1]).hasMore)
    }

    @Test("knows the page before it, however pages are counted")
    func previous() async throws {
        let fields = ["X-Total": "41", "X-Per-Page": "20", "X-Page": "2"]
        let byNumber = Backend("[\(Member.json)]", headers: fields)
        let page = try await Members(service: byNumber.service).read(page: 2, size: 20).value
        #expect(page.previous == .number(1) && page.next == .number(3))
        #expect(try await Members(service: byNumber.service).read(before: page).value.items == [.ada])
        #expect(byNumber.sent == ["GET /users?page=2&per_page=20", "GET /users?page=1&per_page=20"])

        let byLink = Backend("[]", headers: ["Link": #"<?page=1>; rel="prev""#])
        let linked = try await Members(service: byLink.service, pagination: .link).read(page: 2).value
        #expect(linked.previous == URL(string: "http://service.test/users?page=1").map(PagePosition.url))

        let byOffset = Backend("[]")
        let users = Members(service: byOffset.service, pagination: .offset(limit: 5))
        #expect(try await users.read(page: 2).value.previous == .offset(0))
        #expect(try await users.read(page: 1).value.previous == nil)
        let error = await users.read(before: try users.read(page: 1).value).failure
        #expect(error?.reason == .invalidRequest)
    }

    @Test("has the envelope's other members, the header fields, and the links beside the next one")
    func envelope() async throws {
        let body =
            #"{"items": [], "meta": {"etag": "x"}, "links": {"next": "?page=3", "prev": "/users?page=1", "#
            + #""LAST": "http://service.test/users?page=9", "count": 7, "other": "text"}}"#
        let backend = Backend(body, headers: ["X-Rate": "5"])
        let users = Members(
            service: backend.service, envelope: .at(list: "items"),
            pagination: .body(next: ["links", "next"]))
        let page = try await users.read(page: 1).value
        #expect(page.envelope["meta"]["etag"].string == "x" && page.headers["X-Rate"] == "5")
        #expect(
            page.links.mapValues(\.absoluteString) == [
                "next": "http://service.test/users?page=3", "prev": "http://service.test/users?page=1",
                "last": "http://service.test/users?page=9",
            ])
        #expect(page.previous == page.links["prev"].map(PagePosition.url))
        let bare = Backend("[]", headers: ["X-Total": "0", "X-Per-Page": "5", "X-Page": "1"])
        #expect(try await !Members(service: bare.service).read(page: 1).value.envelope.exists)
    }

    @Test("at the answer's root takes only the usual names for links, and a member named for previous")
    func rootLinks() async throws {
        let body = #"{"items": [], "next": "c3", "previous": "c1", "icon": "/i.png", "first": "/users"}"#
        let backend = Backend(body)
        let users = Members(
            service: backend.service, envelope: .at(list: "items"),
            pagination: .body(next: "next", previous: ["previous"]))
        let page = try await users.read(page: 1).value
        #expect(page.links.mapValues(\.absoluteString) == ["first": "http://service.test/users"])
        #expect(page.next == .cursor("c3") && page.previous == .cursor("c1"))
        _ = try await users.read(before: page).value
        #expect(backend.sent == ["GET /users", "GET /users?cursor=c1"])
    }

    private static let custom = Pagination.custom(size: "n") { position in
        switch position {
        case .number(let number): ["p": number - 1]
        case .cursor(let cursor): ["c": cursor]
        default: ["p": 0]
        }
    } next: { page in
        #expect(page.response.statusCode == 200 && page.count == 1)
        return page.json["more"].bool == true ? .number(2) : nil
    } previous: { page in
        page.position == .number(2) ? .start : nil
    } total: { page in
        page.json["all"].int
    }

    @Test("comes by rules of the server's own")
    func customRules() async throws {
        let backend = Backend { request in
            let more = request.url?.query()?.contains("p=0") == true
            return .init(body: #"{"items": [\#(Member.json)], "more": \#(more), "all": 2}"#)
        }
        let users = Members(
            service: backend.service, envelope: .at(list: "items"), pagination: Self.custom)
        var pages: [Page<Member>] = []
        for try await page in users.pages(size: 1, parameters: ["q": "a"]) { pages.append(page) }
        #expect(pages.map(\.number) == [1, 2] && pages.map(\.total) == [2, 2])
        #expect(pages.map(\.next) == [.number(2), nil] && pages.map(\.previous) == [nil, .start])
        #expect(backend.sent == ["GET /users?q=a&p=0&n=1", "GET /users?q=a&p=1&n=1"])
        #expect(try await users.readAll().value.count == 2)
    }

    @Test("ends the future with the error that a custom rule throws")
    func customError() async {
        let pagination = Pagination.custom { _ in
            [:]
        } next: { _ in
            throw AppError(code: 4)
        }
        let users = Members(service: Backend("[]").service, pagination: pagination)
        #expect(await users.read(page: 1).failure?.underlying as? AppError == AppError(code: 4))
    }
}

@Suite("readAll()")
struct ReadAllTests {
    private static let two = "[\(Member.json), \(Member.json)]"

    @Test("is one request where the server doesn't divide the list")
    func whole() async throws {
        for pagination: Pagination in [.headers, .link, .body(next: "next")] {
            let backend = Backend(Self.two)
            let users = Members(service: backend.service, pagination: pagination)
            #expect(try await users.readAll(parameters: ["q": 1]).value.count == 2)
            #expect(backend.sent == ["GET /users?q=1"])
        }
    }

    @Test("reads every page of a list that is divided by headers")
    func byHeaders() async throws {
        let backend = Backend { request in
            let page = request.url?.query()?.contains("page=2") == true ? "2" : "1"
            let fields = ["X-Total": "3", "X-Per-Page": "2", "X-Page": page]
            return .init(headers: fields, body: page == "2" ? "[\(Member.json)]" : Self.two)
        }
        #expect(try await Members(service: backend.service).readAll().value.count == 3)
        #expect(backend.sent == ["GET /users", "GET /users?page=2"])
    }

    @Test("of a list that says it has more, but not where, fails", arguments: ["X-Total", "X-Page"])
    func incomplete(name: String) async {
        let backend = Backend(Self.two, headers: [name: "3"])
        let error = await Members(service: backend.service).readAll().failure
        #expect(error?.reason == .invalidResponse)
        #expect(
            await Members(service: Backend(Self.two, headers: ["X-Total": "2"]).service).readAll().failure
                == nil)
    }

    @Test("follows links, cursors and offsets")
    func others() async throws {
        let byLink = Backend { request in
            let isLast = request.url?.query() != nil
            return .init(
                headers: isLast ? [:] : ["Link": #"<?page=2>; rel="next""#], body: Self.two)
        }
        #expect(try await Members(service: byLink.service, pagination: .link).readAll().value.count == 4)
        let byBody = Backend { request in
            let isLast = request.url?.query() != nil
            return .init(body: #"{"items": \#(Self.two), "next": \#(isLast ? "null" : "7")}"#)
        }
        let users = Members(
            service: byBody.service, envelope: .at(list: "items"), pagination: .body(next: "next"))
        #expect(try await users.readAll().value.count == 4)
        let byOffset = Backend { request in
            .init(body: request.url?.query()?.contains("offset=0") == true ? Self.two : "[\(Member.json)]")
        }
        let offset = Members(service: byOffset.service, pagination: .offset(limit: 2))
        #expect(try await offset.readAll().value.count == 3)
        #expect(byOffset.sent == ["GET /users?offset=0&limit=2", "GET /users?offset=2&limit=2"])
    }

    @Test("started with a handler ends once, off the main thread too, and is cancelled by what start returns")
    func started() async {
        let outcome = await withCheckedContinuation { continuation in
            Members(service: Backend(Self.two).service).readAll().start(.utility) {
                continuation.resume(returning: $0)
            }
        }
        #expect((try? outcome.get())?.count == 2)
    }
}

@Suite("A list that doesn't end")
struct EndlessPagesTests {
    @Test("of empty pages is an error after a hundred of them, by pages and by entities")
    func emptyPages() async {
        let backend = Backend { request in
            .init(body: #"{"items": [], "next": \#(Int.random(in: 1...Int.max))}"#)
        }
        let users = Members(
            service: backend.service, envelope: .at(list: "items"), pagination: .body(next: "next"))
        await #expect(throws: ServiceError.self) { for try await _ in users.entities() {} }
        #expect(backend.sent.count == 100)
        await #expect(throws: ServiceError.self) { for try await _ in users.pages() {} }
        #expect(await users.readAll().failure?.reason == .invalidResponse)
        #expect(await users.readAll().failure?.description.contains("have no entities") == true)
    }

    @Test("may have empty pages between full ones")
    func someEmptyPages() async throws {
        let backend = Backend { request in
            let page = Int(request.url?.query()?.split(separator: "=").last ?? "0") ?? 0
            let items = page % 99 == 98 ? "[\(Member.json)]" : "[]"
            return .init(body: #"{"items": \#(items), "next": \#(page < 250 ? "\(page + 1)" : "null")}"#)
        }
        let users = Members(
            service: backend.service, envelope: .at(list: "items"), pagination: .body(next: "next"))
        #expect(try await users.readAll().value.count == 2)
    }

    @Test("of links to fragments of one page is an error")
    func fragments() async {
        let backend = Backend { _ in
            .init(
                headers: ["Link": "<#\(Int.random(in: 1...Int.max))>; rel=\"next\""], body: "[\(Member.json)]"
            )
        }
        let users = Members(service: backend.service, pagination: .link)
        await #expect(throws: ServiceError.self) { for try await _ in users.entities() {} }
        #expect(backend.sent.count == 1)
    }
}
