import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Coalescing")
struct CoalescingTests {
    private let base = ManualDataSource()
    private var requestCount: Int { base.exchanges.values.count }
    private let source: CoalescingDataSource<ManualDataSource>

    init() {
        source = CoalescingDataSource(base)
    }

    @Test("Identical requests share one transfer, and each task receives the response once")
    func join() async {
        let joiners = (0..<3).map { _ in Call(source).resumed() }
        #expect(requestCount == 1)
        await base.exchange.answer("[1]", status: 201)
        for joiner in joiners {
            #expect(joiner.texts == ["[1]"])
            #expect(joiner.outcomes.map(\.status) == [201])
        }
        #expect(source.exchanges.isEmpty)
        #expect(await base.exchange.calls.values == [.resume])
    }

    @Test("A request is neither sent nor joined before resume()")
    func onlyWhenResumed() async {
        let (early, late) = (Call(source), Call(source))
        #expect(requestCount == 0)
        #expect(source.exchanges.isEmpty)
        early.task.resume()
        await base.exchange.answer("1")
        #expect(late.texts == [])
        late.task.resume()
        #expect(requestCount == 2)
        base.exchanges.values.last?.answer("2")
        #expect(late.texts == ["2"])
    }

    @Test(
        "A request that starts after a write doesn't receive a response from before the write",
        arguments: ["PUT", "POST", "PATCH", "DELETE", "PROPPATCH"])
    func write(method: String) async {
        let url = "http://h/a?page=1"
        let before = Call(.to(url), source).resumed()
        let write = Call(.to("http://h/a?by=1") { $0.httpMethod = method }, source)
        let joined = Call(.to(url), source).resumed()
        #expect(requestCount == 2)
        write.task.resume()
        let during = Call(.to(url), source).resumed()
        #expect(requestCount == 3)
        let (first, second, third) = (
            base.exchanges.values[0], base.exchanges.values[1], base.exchanges.values[2]
        )
        second.answer("written")
        #expect(write.texts == ["written"])
        let after = Call(.to(url), source).resumed()
        #expect(requestCount == 4)
        first.answer("1")
        third.answer("2")
        base.exchanges.values[3].answer("3")
        #expect(before.texts == ["1"] && joined.texts == ["1"])
        #expect(during.texts == ["2"] && after.texts == ["3"])
        #expect(source.exchanges.isEmpty)
    }

    @Test(
        "A write affects all URLs with its path, whatever their user info, and two users' requests aren't joined"
    )
    func userinfo() async {
        let ann = Call(.to("http://ann:pw@h/a"), source).resumed()
        let bob = Call(.to("http://bob:pw@h/a"), source).resumed()
        #expect(requestCount == 2)
        let write = Call(.to("http://h/a") { $0.httpMethod = "PUT" }, source).resumed()
        let after = Call(.to("http://ann:pw@h/a"), source).resumed()
        #expect(requestCount == 4)
        for (exchange, text) in zip(base.exchanges.values, ["1", "2", "3", "4"]) { exchange.answer(text) }
        #expect([ann, bob, write, after].map(\.texts) == [["1"], ["2"], ["3"], ["4"]])
    }

    @Test(
        "A write affects only requests with its path, and requests without side effects affect none",
        arguments: ["PUT", "HEAD", "OPTIONS", "TRACE"])
    func otherPaths(method: String) {
        let reads = ["http://h/a", "http://h/ab", "http://h/a/b", "http://other/a"]
        let first = reads.map { Call(.to($0), source).resumed() }
        let write = Call(.to("http://h/a") { $0.httpMethod = method }, source).resumed()
        let second = reads.map { Call(.to($0), source).resumed() }
        let closed = method == "PUT" ? 1 : 0
        #expect(requestCount == reads.count + 1 + closed)
        for call in first + second + [write] { call.task.cancel() }
        #expect(source.exchanges.isEmpty)
    }

    @Test("A write that fails or is cancelled affects later requests in the same way")
    func failedWrite() async {
        for isCancelled in [true, false] {
            let base = ManualDataSource()
            let source = CoalescingDataSource(base)
            let write = Call(.to("http://h/a") { $0.httpMethod = "PUT" }, source).resumed()
            let during = Call(source).resumed()
            if isCancelled { write.task.cancel() }
            await base.exchange.complete(error: URLError(.networkConnectionLost))
            let after = Call(source).resumed()
            #expect(base.exchanges.values.count == 3)
            for call in [during, after] { call.task.cancel() }
        }
    }

    @Test("Trailers are available after the transfer completes")
    func report() async {
        let streaming = StreamingDataSource()
        let call = Call(CoalescingDataSource(streaming)).resumed()
        let exchange = await streaming.exchange
        exchange.head()
        exchange.send("a")
        exchange.end(["Checksum": "1"])
        _ = await call.outcome
        #expect(call.task.trailers["Checksum"] == "1")
    }

    @Test("A second resume() changes nothing")
    func resumeAgain() async {
        let joiner = Call(source).resumed().resumed()
        await base.exchange.answer("1")
        joiner.task.resume()
        joiner.task.suspend()
        joiner.task.cancel()
        #expect(joiner.texts == ["1"])
        #expect(requestCount == 1)
        #expect(await base.exchange.calls.values == [.resume])
    }

    @Test(
        "Requests with different content or settings aren't joined",
        arguments: differentRequests)
    func different(other: URLRequest) {
        _ = Call(.to("http://h/a") { $0.setValue("3", forHTTPHeaderField: "Authorization") }, source)
            .resumed()
        _ = Call(source).resumed()
        _ = Call(other, source).resumed()
        #expect(requestCount == 3)
        _ = Call(other, source).resumed()
        #expect(requestCount == 3)
        #expect(base.exchanges.values.map(\.request).last?.url == other.url)
    }

    @Test("The names of header fields are compared case-insensitively")
    func headerCase() {
        _ = Call(.to("http://h/a") { $0.allHTTPHeaderFields = ["X-a": "1", "b": "2"] }, source).resumed()
        _ = Call(.to("http://h/a") { $0.allHTTPHeaderFields = ["B": "2", "x-A": "1"] }, source).resumed()
        #expect(requestCount == 1)
    }

    @Test("Other methods and requests with a body are passed through unchanged")
    func passThrough() {
        let requests: [URLRequest] = [
            .to("http://h/a") { $0.httpMethod = "HEAD" }, .to("http://h/a") { $0.httpBody = Data("x".utf8) },
            .to("http://h/a") { $0.httpBodyStream = InputStream(data: Data("x".utf8)) },
        ]
        for request in requests {
            for _ in 0..<2 { #expect(Call(request, source).task is ManualExchange) }
        }
        #expect(requestCount == 6)
    }

    @Test("A cancelled task completes immediately, and the other tasks continue")
    func cancelOne() async {
        let joiners = (0..<3).map { _ in Call(source).resumed() }
        joiners[0].task.cancel()
        joiners[0].task.cancel()
        #expect(joiners[0].outcomes.map(\.isCancelled) == [true])
        await base.exchange.answer("1")
        joiners[0].task.resume()
        #expect(joiners.map(\.texts) == [[nil], ["1"], ["1"]])
        #expect(await base.exchange.calls.values == [.resume])
        #expect(requestCount == 1)
    }

    @Test("A task that is cancelled before resume() completes and sends nothing")
    func cancelBefore() {
        let joiner = Call(source)
        joiner.task.cancel()
        joiner.task.resume()
        #expect(joiner.outcomes.map(\.isCancelled) == [true])
        #expect(requestCount == 0)
    }

    @Test("The last task to cancel cancels the request, and a later task sends a new one")
    func cancelLast() async {
        let joiners = (0..<2).map { _ in Call(source).resumed() }
        for joiner in joiners { joiner.task.cancel() }
        let cancelled = await base.exchange
        #expect(cancelled.calls.values == [.resume, .cancel])
        #expect(source.exchanges.isEmpty)
        let later = Call(source).resumed()
        #expect(requestCount == 2)
        cancelled.answer("old")
        #expect(later.texts == [])
        base.exchanges.values.last?.answer("new")
        #expect(later.texts == ["new"])
        for joiner in joiners { #expect(joiner.outcomes.map(\.isCancelled) == [true]) }
    }

    @Test("A suspended task receives its response after resume(), and the other tasks receive it immediately")
    func suspendOne() async {
        let (first, second) = (Call(source).resumed(), Call(source).resumed())
        first.task.suspend()
        #expect(await base.exchange.calls.values == [.resume])
        await base.exchange.answer("1")
        #expect(second.texts == ["1"])
        #expect(first.texts == [])
        #expect(source.exchanges.isEmpty)
        first.task.resume()
        first.task.resume()
        #expect(first.texts == ["1"])
    }

    @Test("A suspended task whose response has arrived can still be cancelled")
    func cancelHeld() async {
        let joiner = Call(source).resumed()
        joiner.task.suspend()
        await base.exchange.answer("1")
        joiner.task.cancel()
        joiner.task.resume()
        #expect(joiner.outcomes.map(\.isCancelled) == [true])
    }

    @Test("The request is suspended only while all of its tasks are suspended")
    func suspendAll() async {
        let joiners = (0..<3).map { _ in Call(source).resumed() }
        let calls = await base.exchange.calls
        joiners[0].task.suspend()
        joiners[0].task.suspend()
        joiners[1].task.suspend()
        #expect(calls.values == [.resume])
        joiners[2].task.cancel()
        #expect(calls.values == [.resume, .suspend])
        joiners[1].task.resume()
        #expect(calls.values == [.resume, .suspend, .resume])
        joiners[1].task.suspend()
        #expect(calls.values.count == 4)
        _ = Call(source).resumed()
        #expect(calls.values == [.resume, .suspend, .resume, .suspend, .resume])
        #expect(requestCount == 1)
    }

    @Test("Every task receives the error of the shared request")
    func failure() async {
        let joiners = (0..<2).map { _ in Call(source).resumed() }
        await base.exchange.complete(error: URLError(.networkConnectionLost))
        for joiner in joiners {
            #expect(joiner.outcomes.map { ($0.error as? URLError)?.code } == [.networkConnectionLost])
        }
        #expect(source.exchanges.isEmpty)
    }

    @Test("Adapters of `any` data source can be combined")
    func existential() async {
        let any: any SessionDataTaskDataSource = base
        let joiner = Call(any.coalescing().intercepting { try await $1($0) }.coalescing()).resumed()
        await base.exchange.answer("1")
        #expect(await joiner.outcome.text == "1")
    }
}

/// Requests that must not be joined with a request to `http://h/a`.
private let differentRequests: [URLRequest] = [
    .to("http://h/a?b"), .to("http://h/A"), .to("https://h/a"),
    .to("http://h/a") { $0.setValue("1", forHTTPHeaderField: "Authorization") },
    .to("http://h/a") { $0.setValue("2", forHTTPHeaderField: "Authorization") },
    .to("http://h/a") { $0.cachePolicy = .reloadIgnoringLocalCacheData },
    .to("http://h/a") { $0.timeoutInterval = 7 },
    .to("http://h/a") { $0.httpShouldHandleCookies = false },
    .to("http://h/a") { $0.mainDocumentURL = URL(string: "http://h/") },
    .to("http://h/a") { $0.networkServiceType = .background },
    .to("http://h/a") { $0.allowsCellularAccess = false },
]
