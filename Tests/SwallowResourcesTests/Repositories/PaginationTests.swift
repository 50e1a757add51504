import Foundation
@testable import SwallowResources
import Swallow
import Testing

@Suite("A page")
struct PaginationTests {
    private func users(
        _ pagination: Pagination, _ body: String = "[\(Member.json)]", headers: [String: String] = [:]
    ) -> (Backend, Members) {
        let backend = Backend(body, headers: headers)
        return (backend, Members(service: backend.service, pagination: pagination))
    }

    @Test("by headers says its number, size and total, and whether there are more")
    func headers() async throws {
        let fields = ["X-Total": "41", "X-Per-Page": "20", "X-Page": "2"]
        let (backend, users) = users(.headers, headers: fields)
        let page = try await users.read(page: 2, size: 20).value
        #expect(page.items == [.ada])
        #expect(page.number == 2 && page.size == 20 && page.total == 41 && page.hasMore)
        _ = await users.read(after: page).result
        _ = await users.read(page: 1, parameters: ["q": "a"]).result
        #expect(
            backend.sent == [
                "GET /users?page=2&per_page=20", "GET /users?page=3&per_page=20", "GET /users?q=a&page=1",
            ])
    }

    @Test(
        "by headers is the last one when all entities are out, or when it is empty",
        arguments: [("40", "[]"), ("40", "[\(Member.json)]"), ("99", "[]"), ("0", "[]")])
    func lastByHeaders(total: String, body: String) async throws {
        let fields = ["X-Total": total, "X-Per-Page": "20", "X-Page": "2"]
        let (backend, users) = users(.headers, body, headers: fields)
        let page = try await users.read(page: 2, size: 20).value
        #expect(!page.hasMore)
        let error = await users.read(after: page).failure
        #expect(error?.reason == .invalidRequest)
        #expect(error?.description.contains("no page after the last") == true)
        #expect(backend.sent.count == 1)
    }

    @Test(
        "by headers that lack one, or have it malformed, is a clear error",
        arguments: [
            ("X-Total", nil), ("X-Per-Page", nil), ("X-Page", nil), ("X-Total", "-1"), ("X-Total", "many"),
            ("X-Total", ""), ("X-Total", "+1"), ("X-Total", "99999999999999999999"), ("X-Per-Page", "0"),
            ("X-Page", "0"), ("X-Page", "1.5"), ("X-Page", "1, 1"),
        ] as [(String, String?)])
    func malformedHeaders(name: String, value: String?) async {
        var fields = ["X-Total": "41", "X-Per-Page": "20", "X-Page": "2"]
        fields[name] = value
        let (_, users) = users(.headers, headers: fields)
        let error = await users.read(page: 2).failure
        #expect(error?.reason == .invalidResponse)
        #expect(error?.description.contains("the header \(name) is") == true)
        #expect(error?.request != nil && error?.statusCode == 200)
    }

    @Test("by headers survives numbers at the end of their range")
    func hugeHeaders() async throws {
        let huge = "\(Int.max)"
        let (_, users) = users(.headers, headers: ["X-Total": huge, "X-Per-Page": huge, "X-Page": huge])
        let page = try await users.read(page: .max, size: .max).value
        #expect(!page.hasMore && page.number == .max)
    }

    @Test("by links knows where they lead, relative ones resolved")
    func links() async throws {
        let field =
            #"<?page=3>; rel="next", </users?page=1>; rel=prev, <http://other.test/u?page=9>; rel="last", "#
            + #"<users?page=1>; REL="first start""#
        let (backend, users) = users(.link, headers: ["Link": field])
        let page = try await users.read(page: 2, size: 2).value
        #expect(page.hasMore && page.number == 2 && page.size == 2 && page.total == nil)
        #expect(
            page.links.mapValues(\.absoluteString) == [
                "next": "http://service.test/users?page=3", "prev": "http://service.test/users?page=1",
                "last": "http://other.test/u?page=9", "first": "http://service.test/users?page=1",
                "start": "http://service.test/users?page=1",
            ])
        #expect(try await users.read(after: page).value.number == 3)
        let last = try #require(page.links["last"])
        #expect(try await users.read(pageAt: last).value.number == nil)
        #expect(
            backend.sent == [
                "GET /users?page=2&per_page=2", "GET /users?page=3", "GET http://other.test/u?page=9",
            ])
    }

    @Test("by links is the last one without a next link")
    func lastByLinks() async throws {
        #expect(try await !users(.link).1.read(page: 1).value.hasMore)
        let fields = ["Link": #"</users?page=1>; rel="first""#]
        #expect(try await !users(.link, headers: fields).1.read(page: 1).value.hasMore)
    }

    @Test(
        "by links needs no link but the next one to be good",
        arguments: [
            #"<mailto:a@b>; rel="author", <?page=3>; rel="next""#,
            #"<ftp://h/x>; rel="prev", <?page=3>; rel="next""#,
            #"<a; rel="first", <?page=3>; rel="next""#, #"nonsense, <?page=3>; rel="next""#,
            #""http://h/a,b"; rel="first", <?page=3>; rel="next""#, #"<?page=3>; rel="next", <a> b"#,
        ])
    func otherLinks(field: String) async throws {
        let page = try await users(.link, headers: ["Link": field]).1.read(page: 2).value
        #expect(page.next == URL(string: "http://service.test/users?page=3").map(PagePosition.url))
        #expect(page.links.count == 1 && page.previous == nil)
        let last = field.replacing("next", with: "last")
        #expect(try await !users(.link, headers: ["Link": last]).1.read(page: 2).value.hasMore)
    }

    @Test(
        "by links that can't be followed is a clear error",
        arguments: [
            #"<a; rel="next""#, #"<ftp://h/x>; rel="next""#, #"<http://>; rel="next""#,
            #"</users?page=1>; rel="prev", "/users?page=3"; rel="next""#,
        ])
    func malformedLinks(field: String) async {
        let error = await users(.link, headers: ["Link": field]).1.read(page: 1).failure
        #expect(error?.reason == .invalidResponse)
        #expect(error?.description.contains("ink") == true)
    }

    @Test("that leads to itself is an error when it is to be followed")
    func repeats() async throws {
        let fields = ["Link": #"</users?page=1>; rel="next""#]
        let (backend, users) = users(.link, headers: fields)
        let page = try await users.read(page: 1).value
        #expect(await users.read(after: page).failure?.reason == .invalidResponse)
        #expect(backend.sent.count == 1)
    }

    @Test(
        "by a member of the body goes on with its cursor or URL",
        arguments: [
            (#""abc==""#, "GET /users?per_page=2&cursor=abc%3D%3D"),
            ("17", "GET /users?per_page=2&cursor=17"),
            (#""/more?c=1""#, "GET /more?c=1"), (#""?c=1""#, "GET /users?c=1"),
            (#""http://service.test/m""#, "GET /m"),
        ])
    func body(next: String, expected: String) async throws {
        let body = #"{"items": [\#(Member.json)], "meta": {"next": \#(next), "total": 9}}"#
        let backend = Backend(body)
        let users = Members(
            service: backend.service, envelope: .at(list: "items"),
            pagination: .body(next: ["meta", "next"], total: ["meta", "total"]))
        let page = try await users.read(page: 1, size: 2).value
        #expect(page.items == [.ada] && page.total == 9 && page.size == 2 && page.number == 1)
        let second = try await users.read(after: page).value
        #expect(second.number == 2)
        #expect(backend.sent[0] == "GET /users?per_page=2")
        let sent = backend.sent[1]
        #expect(
            sent == expected
                || sent == expected.replacing("per_page=2&cursor", with: "cursor") + "&per_page=2")
    }

    @Test("by a named cursor takes nothing for a URL")
    func namedCursor() async throws {
        let backend = Backend(#"{"items": [], "next": "/x+y"}"#)
        let users = Members(
            service: backend.service, envelope: .at(list: "items"),
            pagination: .body(next: "next", cursor: "after", size: "first"))
        let page = try await users.read(page: 1).value
        _ = await users.read(after: page).result
        #expect(backend.sent == ["GET /users", "GET /users?after=%2Fx%2By"])
    }

    @Test(
        "by a member of the body is the last one without it",
        arguments: ["", #", "next": null"#, #", "next": """#, #", "next": false"#])
    func lastByBody(member: String) async throws {
        let users = Members(
            service: Backend(#"{"items": []\#(member)}"#).service, envelope: .at(list: "items"),
            pagination: .body(next: "next"))
        #expect(try await !users.read(page: 1).value.hasMore)
    }

    @Test(
        "by a member of the body that is neither cursor nor URL is a clear error",
        arguments: ["true", "{}", "1.5", "[1]"])
    func malformedBody(next: String) async {
        let users = Members(
            service: Backend(#"{"items": [], "next": \#(next)}"#).service, envelope: .at(list: "items"),
            pagination: .body(next: "next"))
        let error = await users.read(page: 1).failure
        #expect(error?.description.contains("neither a cursor nor a URL") == true)
    }

    @Test("by offset goes on at the next position, until one is not full")
    func offset() async throws {
        let (backend, users) = users(.offset(limit: 1))
        let page = try await users.read(page: 3).value
        #expect(page.hasMore && page.number == 3 && page.size == 1)
        _ = await users.read(after: page).result
        #expect(try await !users.read(page: 2, size: 20).value.hasMore)
        #expect(
            backend.sent == [
                "GET /users?offset=2&limit=1", "GET /users?offset=3&limit=1", "GET /users?offset=20&limit=20",
            ])
    }

    @Test("is asked for with the parameter names that the server wants")
    func names() async {
        let body = #"{"items": []}"#
        for (pagination, expected) in [
            (.headers(page: "p", size: "n"), "GET /users?p=1&n=5"),
            (.link(page: "p", size: "n"), "GET /users?p=1&n=5"),
            (.body(next: "next", size: "n"), "GET /users?n=5"),
            (.offset(limit: 9, offset: "skip", size: "take"), "GET /users?skip=0&take=5"),
        ] as [(Pagination, String)] {
            let (backend, users) = users(pagination, body)
            _ = await users.read(page: 1, size: 5).result
            #expect(backend.sent == [expected])
        }
    }

    @Test(
        "whose number or size is below 1, or that can't be reached, is an error, and nothing is sent",
        arguments: [
            (.headers, 0, 5), (.headers, -1, nil), (.headers, 1, 0), (.link, 1, -5),
            (.offset(limit: 5), 1, 0),
            (.offset(limit: 0), 1, nil), (.offset(limit: 5), .max, 5), (.body(next: "next"), 2, 5),
            (.body(next: "next"), 1, 0),
        ] as [(Pagination, Int, Int?)])
    func illegal(pagination: Pagination, page: Int, size: Int?) async {
        let (backend, users) = users(pagination)
        #expect(await users.read(page: page, size: size).failure?.reason == .invalidRequest)
        #expect(backend.sent.isEmpty)
    }
}
