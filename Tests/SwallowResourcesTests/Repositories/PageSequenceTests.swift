import Foundation
import Swallow
import SwallowResources
import TestSupport
import Testing

@Suite("The pages of a list")
struct PageSequenceTests {
    /// Responds with three linked pages of two, two and one users.
    private static func backend() -> Backend {
        Backend { request in
            let query = request.url?.query() ?? ""
            let page = query.contains("page=3") ? 3 : query.contains("page=2") ? 2 : 1
            let users = [
                1: "[\(Member.json), \(Member.json)]", 2: "[\(Member.json), \(Member.json)]",
                3: "[\(Member.json)]",
            ]
            let link = page < 3 ? ["Link": "</users?page=\(page + 1)>; rel=\"next\""] : [:]
            return .init(headers: link, body: users[page] ?? "[]")
        }
    }

    private static func users(_ backend: Backend) -> Members {
        Members(service: backend.service, pagination: .link)
    }

    @Test("are read one after the other, each when it is asked for")
    func onDemand() async throws {
        let backend = Self.backend()
        var iterator = Self.users(backend).pages(size: 9, parameters: ["q": "a"]).makeAsyncIterator()
        #expect(backend.sent.isEmpty)
        #expect(try await iterator.next()?.items.count == 2)
        #expect(backend.sent == ["GET /users?q=a&per_page=9"])
        #expect(try await iterator.next()?.number == 2)
        #expect(try await iterator.next()?.items.count == 1)
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(backend.sent.count == 3)
    }

    @Test("give their models", arguments: [false, true])
    func models(prefetching: Bool) async throws {
        let backend = Self.backend()
        var count = 0
        for try await user in Self.users(backend).models(prefetching: prefetching) {
            #expect(user == .ada)
            count += 1
        }
        #expect(count == 5)
        #expect(backend.sent.count == 3)
    }

    @Test("are read anew by each loop")
    func twice() async throws {
        let backend = Self.backend()
        let pages = Self.users(backend).pages()
        for _ in 1...2 {
            var numbers: [Int?] = []
            for try await page in pages { numbers.append(page.number) }
            #expect(numbers == [1, 2, 3])
        }
        #expect(backend.sent.count == 6)
    }

    @Test("by headers, by cursor and by offset end where the list does")
    func strategies() async throws {
        let backend = Backend { request in
            let query = request.url?.query() ?? ""
            let isSecond = query.contains("=2") || query.contains("=c2") || query.contains("offset=1")
            let headers = ["X-Total": "2", "X-Per-Page": "1", "X-Page": isSecond ? "2" : "1"]
            let items = query.contains("offset=2") ? "[]" : "[\(Member.json)]"
            let body =
                query.contains("wrapped")
                ? #"{"items": \#(items), "next": \#(isSecond ? "null" : "\"c2\"")}"# : items
            return .init(headers: headers, body: body)
        }
        for (pagination, envelope, parameters, count) in [
            (.headers, .none, [:], 2),
            (.body(next: "next"), .at(list: "items"), ["wrapped": true], 2),
            (.offset(limit: 1), .none, [:], 2),
        ] as [(Pagination, Envelope, Parameters, Int)] {
            let users = Members(service: backend.service, envelope: envelope, pagination: pagination)
            var items = 0
            for try await page in users.pages(parameters: parameters) { items += page.items.count }
            #expect(items == count)
        }
    }

    @Test("stop at the first error")
    func errors() async throws {
        let backend = Backend { request in
            request.url?.query() == nil
                ? .init(headers: ["Link": "<?page=2>; rel=next"], body: "[\(Member.json)]")
                : .init(status: 500)
        }
        for prefetching in [false, true] {
            var iterator = Self.users(backend).models(prefetching: prefetching).makeAsyncIterator()
            #expect(try await iterator.next() == .ada)
            await #expect(throws: ServiceError.self) { try await iterator.next() }
            #expect(try await iterator.next() == nil)
        }
        #expect(backend.sent.count == 4)
    }

    @Test("of an illegal size are an error, and nothing is sent")
    func illegalSize() async throws {
        let backend = Self.backend()
        var iterator = Self.users(backend).pages(size: 0).makeAsyncIterator()
        await #expect(throws: ServiceError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        #expect(backend.sent.isEmpty)
    }

    @Test(
        "never go round in circles",
        arguments: [
            ["/users"], ["?page=2", "/users"], ["?page=2", "?page=3", "?page=2"], ["?page=2", "?page=2"],
        ])
    func circles(targets: [String]) async throws {
        let turns = Lock(0)
        let backend = Backend { _ in
            let turn = turns.withLock { turn in
                defer { turn += 1 }
                return turn
            }
            let target = targets[turn % targets.count]
            return .init(headers: ["Link": "<\(target)>; rel=next"], body: "[\(Member.json)]")
        }
        var count = 0
        do {
            for try await page in Self.users(backend).pages() { count += page.items.count }
            Issue.record("the pages ended")
        } catch let error as ServiceError {
            #expect(error.reason == .invalidResponse)
            #expect(error.description.contains("was already read"))
        }
        #expect(count == targets.count)
        #expect(backend.sent.count == targets.count)
    }

    @Test("never go round in circles of cursors or page numbers")
    func otherCircles() async throws {
        let body = #"{"items": [\#(Member.json)], "next": "c"}"#
        let byCursor = Backend(body)
        let cursors = Members(
            service: byCursor.service, envelope: .at(list: "items"), pagination: .body(next: "next"))
        await #expect(throws: ServiceError.self) { for try await _ in cursors.pages() {} }
        #expect(byCursor.sent.count == 2)
        let fields = ["X-Total": "9", "X-Per-Page": "1", "X-Page": "1"]
        let byHeaders = Backend("[\(Member.json)]", headers: fields)
        let numbers = Members(service: byHeaders.service, pagination: .headers)
        await #expect(throws: ServiceError.self) { for try await _ in numbers.pages() {} }
        #expect(byHeaders.sent.count == 2)
    }
}

@Suite("The pages of a list, under way")
struct PageSequenceTimingTests {
    private let source = ManualDataSource()
    private var users: Members { Members(service: .test(source), pagination: .link) }
    private static let fields = ["Link": "<?page=2>; rel=next", "Content-Type": "application/json"]

    @Test("end with the Swift task, and so does the request", arguments: [false, true])
    func cancellation(prefetching: Bool) async throws {
        let users = users
        let pages = Recorder<Int>()
        let task = Task { () -> Bool in
            do {
                for try await page in users.pages(prefetching: prefetching) { pages.append(page.items.count) }
                return false
            } catch {
                return (error as? ServiceError)?.isCancelled == true
            }
        }
        await source.exchange.answer("[\(Member.json)]", headers: Self.fields)
        #expect(await pages.first(1) == [1])
        let second = await source.exchanges.first(2)[1]
        _ = await second.calls.first(1)
        task.cancel()
        #expect(await task.value)
        #expect(await second.calls.first(2).last == .cancel)
        #expect(pages.values == [1])
    }

    @Test("cancelled between two models give no more of them")
    func cancellationBetweenEntities() async throws {
        let users = users
        let task = Task { () -> (count: Int, isCancelled: Bool) in
            var count = 0
            do {
                for try await _ in users.models() {
                    count += 1
                    withUnsafeCurrentTask { $0?.cancel() }
                }
                return (count, false)
            } catch {
                return (count, (error as? ServiceError)?.isCancelled == true)
            }
        }
        await source.exchange.answer("[\(Member.json), \(Member.json)]", headers: Self.fields)
        let outcome = await task.value
        #expect(outcome.count == 1 && outcome.isCancelled)
    }

    @Test("are asked for one ahead, if so wanted")
    func prefetching() async throws {
        let users = users
        let task = Task {
            var iterator = users.pages(prefetching: true).makeAsyncIterator()
            let first = try await iterator.next()
            // The consumer hasn't requested the second page yet.
            let second = await source.exchanges.first(2)[1]
            _ = await second.calls.first(1)
            second.answer("[]", headers: [:])
            return try await (first?.number, iterator.next()?.number, iterator.next()?.number)
        }
        await source.exchange.answer("[\(Member.json)]", headers: Self.fields)
        let numbers = try await task.value
        #expect(numbers == (1, 2, nil))
        #expect(source.exchanges.values.count == 2)
    }

    @Test("asked for ahead end when the loop is left")
    func leaving() async throws {
        let users = users
        let task = Task {
            for try await _ in users.pages(prefetching: true) {
                _ = await source.exchanges.first(2)[1].calls.first(1)
                break
            }
        }
        await source.exchange.answer("[\(Member.json)]", headers: Self.fields)
        try await task.value
        let second = await source.exchanges.first(2)[1]
        #expect(await second.calls.first(2).last == .cancel)
    }
}
