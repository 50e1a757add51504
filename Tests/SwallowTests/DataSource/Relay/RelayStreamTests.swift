import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A relay that streams")
struct RelayStreamTests {
    private let source = PartsDataSource()
    private let recorder = PartsRecorder()

    private var tasks: [PartsTask] { source.tasks.values }

    private func relay() -> RelayDataTask {
        RelayDataTask(.to("http://h/a"), JudgedSource(base: source), recorder.complete)
    }

    private func streaming() -> RelayDataTask {
        let relay = relay()
        relay.stream(to: recorder.receive)
        relay.resume()
        return relay
    }

    @Test("The receiver is remembered before resume(), and told of the attempt before that starts")
    func remembered() throws {
        let relay = relay()
        relay.stream(to: recorder.receive)
        #expect(tasks.isEmpty)
        relay.resume()
        let task = try #require(tasks.first)
        #expect(task.isStreamed && task.calls.values == [.resume])
        task.give(head: 200)
        task.give("a")
        task.end(200, "b")
        #expect(recorder.all == ["200", "\"a\"", "end: b"])
    }

    @Test("Without a receiver no attempt streams")
    func plain() throws {
        relay().resume()
        let task = try #require(tasks.first)
        #expect(!task.isStreamed)
        task.end(200, "b")
        #expect(recorder.all == ["end: b"])
    }

    @Test("A receiver that comes late is handed on to the attempt that is under way")
    func late() throws {
        let relay = relay()
        relay.resume()
        relay.stream(to: recorder.receive)
        relay.stream(to: { _ in Issue.record("the first receiver stays") })
        let task = try #require(tasks.first)
        task.give(head: 200)
        task.give("a")
        task.end(200)
        #expect(recorder.all == ["200", "\"a\"", "end: "])
    }

    @Test("Of a rejected attempt nothing is streamed, and the next one streams in its place")
    func rejected() throws {
        let relay = streaming()
        tasks[0].give(head: 503)
        tasks[0].give("no")
        #expect(tasks.count == 2 && tasks[1].isStreamed)
        tasks[0].end(503, "no")
        tasks[1].give(head: 200)
        tasks[1].give("yes")
        tasks[1].end(200)
        #expect(recorder.all == ["200", "\"yes\"", "end: "])
        relay.cancel()
        #expect(recorder.all.count == 3)
    }

    @Test("The body of a rejected attempt may come up to 64 KB, then it is cancelled")
    func rejectedBody() {
        let relay = streaming()
        tasks[0].give(head: 503)
        tasks[0].give(String(repeating: "x", count: 64 * 1024))
        #expect(tasks[0].calls.values == [.resume])
        tasks[0].give("x")
        #expect(tasks[0].calls.values == [.resume, .cancel])
        relay.cancel()
        #expect(recorder.all == ["end: cancelled"])
    }

    @Test("A source that doesn't stream has its end judged, and the body comes whole")
    func whole() {
        let relay = streaming()
        tasks[0].end(503, "no")
        tasks[1].end(200, "all")
        #expect(recorder.all == ["end: all"])
        relay.suspend()
    }

    @Test("While it is suspended nothing is given; resume() gives it, outside its own call")
    func suspended() async {
        let relay = streaming()
        tasks[0].give(head: 200)
        relay.suspend()
        tasks[0].give("a")
        tasks[0].end(200, "b")
        #expect(recorder.all == ["200"])
        relay.resume()
        #expect(await recorder.events.first(3) == ["200", "\"a\"", "end: b"])
    }

    @Test(
        "What comes while the receiver is in a call holds the attempt back at 128 KB, until half of it is left"
    )
    func backlog() async {
        let received = Lock(0)
        let relay = relay()
        let tasks = source.tasks
        let kilobytes64 = String(repeating: "x", count: 64 * 1024)
        relay.stream { part in
            guard case .bytes(let bytes) = part else { return }
            let count = received.withLock { count in
                count += 1
                return count
            }
            let task = tasks.values[0]
            switch count {
            case 1:
                // This call hasn't returned: what comes now waits.
                task.give(kilobytes64)
                #expect(task.calls.values == [.resume])
                task.give(kilobytes64)
                #expect(task.calls.values == [.resume, .suspend])
                task.give("end")
            case 4: #expect(task.calls.values == [.resume, .suspend, .resume])
            default: #expect(bytes.count == 64 * 1024)
            }
        }
        relay.resume()
        tasks.values[0].give(head: 200)
        tasks.values[0].give("begin")
        #expect(received.withLock { $0 } == 4)
        relay.cancel()
    }

    @Test("A head that comes while it is suspended is judged, and held", arguments: [200, 503])
    func suspendedHead(status: Int) async {
        let relay = streaming()
        relay.suspend()
        tasks[0].give(head: status)
        #expect(tasks.count == (status == 503 ? 2 : 1))
        if status == 503 {
            #expect(tasks[1].calls.values.isEmpty)
            tasks[1].give(head: 200)
        }
        #expect(recorder.all.isEmpty)
        relay.resume()
        #expect(await recorder.events.first(1) == ["200"])
    }

    @Test("An attempt that is suspended while it is rejected is cancelled: its rest would never come")
    func suspendedWhileJudged() async {
        let relay = Lock<RelayDataTask?>(nil)
        let source = JudgedSource(base: source) { relay.withLock { $0 }?.suspend() }
        let made = RelayDataTask(.to("http://h/a"), source, recorder.complete)
        relay.withLock { $0 = made }
        made.stream(to: recorder.receive)
        made.resume()
        tasks[0].give(head: 503)
        #expect(tasks.count == 2)
        #expect(tasks[0].calls.values == [.resume, .suspend, .cancel])
        made.cancel()
        relay.withLock { $0 = nil }
    }

    @Test("Of several rejected attempts only the latest may come to its end")
    func rejectedTwice() {
        let relay = streaming()
        tasks[0].give(head: 503)
        tasks[1].give(head: 503)
        #expect(tasks.map(\.calls.values) == [[.resume, .cancel], [.resume], [.resume]])
        relay.cancel()
    }

    @Test("A cancel ends it at once, suspended or not, and drops what waits", arguments: [true, false])
    func cancelled(isSuspended: Bool) {
        let relay = streaming()
        tasks[0].give(head: 200)
        if isSuspended {
            relay.suspend()
            tasks[0].give("a")
        }
        relay.cancel()
        tasks[0].give("b")
        tasks[0].end(200)
        relay.resume()
        #expect(recorder.all == ["200", "end: cancelled"])
    }

    @Test("A cancel from within the receiver ends it once that has returned")
    func cancelledWithin() {
        let relay = relay()
        relay.stream { part in
            relay.cancel()
            recorder.receive(part)
        }
        relay.resume()
        tasks[0].give(head: 200)
        #expect(recorder.all == ["200", "end: cancelled"])
        #expect(tasks[0].calls.values == [.resume, .cancel])
    }

    @Test("Once its head is accepted, a failure is the end: nothing is sent again")
    func failsLater() {
        let relay = streaming()
        tasks[0].give(head: 200)
        tasks[0].fail(URLError(.networkConnectionLost))
        #expect(recorder.all == ["200", "end: failure"])
        #expect(tasks.count == 1)
        relay.resume()
    }

    @Test("The receiver is let go of at the end", arguments: [true, false])
    func released(isCancelled: Bool) {
        let relay = relay()
        var token: Token? = Token()
        weak let weakToken = token
        relay.stream { [token] _ in withExtendedLifetime(token) {} }
        token = nil
        relay.resume()
        tasks[0].give(head: 200)
        #expect(weakToken != nil)
        if isCancelled { relay.cancel() } else { tasks[0].end(200) }
        #expect(weakToken == nil)
    }

    private final class Token: Sendable {}
}

/// A relay's source over any other that tries again on a 503.
struct JudgedSource: RelaySource, RelayJudge {
    let base: any SessionDataTaskDataSource
    var onVerdict: @Sendable () -> Void = {}
    var judge: any RelayJudge { self }
    var timeout: Duration? { nil }

    func dataTask(with request: URLRequest, for attempt: RelayAttempt) -> any DataTask {
        base.dataTask(with: request) { attempt.receive(Ending($0, $1, $2)) }
    }

    func verdict(
        on finding: Relay.Finding, to request: URLRequest, after rejected: Int
    ) -> Relay.Verdict {
        guard case .head(let head) = finding, head.statusCode == 503 else { return .accept }
        onVerdict()
        return .again(request)
    }
}
