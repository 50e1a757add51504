import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A transfer source's data task below an adapter")
struct ExchangeOperationTests {
    private let source = PartsDataSource()
    private let recorder = PartsRecorder()
    private let location = ["Location": "/b"]

    private var tasks: [PartsTask] { source.tasks.values }

    private func task(of transfers: PartsTransfers) -> any DataTask {
        transfers.dataTask(with: .to("http://h/a"), completion: recorder.complete)
    }

    private func made() -> any DataTask {
        task(of: PartsTransfers(source))
    }

    private func streaming() -> any DataTask {
        let adapted = made()
        adapted.stream(to: recorder.receive)
        adapted.resume()
        return adapted
    }

    @Test("A receiver that is set before resume() is set on the transfer before it starts")
    func remembered() throws {
        let adapted = made()
        adapted.stream(to: recorder.receive)
        #expect(tasks.isEmpty)
        adapted.resume()
        let task = try #require(tasks.first)
        #expect(task.isStreamed && task.calls.values == [.resume])
        task.give(head: 200)
        task.give("a")
        task.end(200, "b")
        #expect(recorder.all == ["200", "\"a\"", "end: b"])
    }

    @Test("Without a receiver, no transfer streams its body")
    func plain() throws {
        made().resume()
        let task = try #require(tasks.first)
        #expect(!task.isStreamed)
        task.end(200, "b")
        #expect(recorder.all == ["end: b"])
    }

    @Test("A receiver that is set late is passed to the running transfer")
    func late() throws {
        let adapted = made()
        adapted.resume()
        adapted.stream(to: recorder.receive)
        adapted.stream(to: { _ in Issue.record("the first receiver stays") })
        let task = try #require(tasks.first)
        task.give(head: 200)
        task.give("a")
        task.end(200)
        #expect(recorder.all == ["200", "\"a\"", "end: "])
    }

    @Test("A redirect's body isn't streamed, but the body of the response after it is")
    func rejected() throws {
        let adapted = streaming()
        tasks[0].give(head: 302, location)
        tasks[0].give("no")
        #expect(tasks.count == 2 && tasks[1].isStreamed)
        tasks[0].end(302, "no", location)
        tasks[1].give(head: 200)
        tasks[1].give("yes")
        tasks[1].end(200)
        #expect(recorder.all == ["200", "\"yes\"", "end: "])
        adapted.cancel()
        #expect(recorder.all.count == 3)
    }

    @Test("The body of a redirect is read up to 64 KB, and then its transfer is cancelled")
    func rejectedBody() {
        let adapted = streaming()
        tasks[0].give(head: 302, location)
        tasks[0].give(String(repeating: "x", count: 64 * 1024))
        #expect(tasks[0].calls.values == [.resume])
        tasks[0].give("x")
        #expect(tasks[0].calls.values == [.resume, .cancel])
        adapted.cancel()
        #expect(recorder.all == ["end: cancelled"])
    }

    @Test("If the data source doesn't stream, the head is handled with the completion, which has the body")
    func whole() {
        let adapted = streaming()
        tasks[0].end(302, "no", location)
        tasks[1].end(200, "all")
        #expect(recorder.all == ["200", "end: all"])
        adapted.suspend()
    }

    @Test("While the task is suspended, it delivers nothing, and resume() delivers the rest asynchronously")
    func suspended() async {
        let adapted = streaming()
        tasks[0].give(head: 200)
        adapted.suspend()
        tasks[0].give("a")
        tasks[0].end(200, "b")
        #expect(recorder.all == ["200"])
        adapted.resume()
        #expect(await recorder.events.first(3) == ["200", "\"a\"", "end: b"])
    }

    @Test("Body parts that wait for a receiver pause the transfer at 128 KB, until 64 KB are left")
    func backlog() async {
        let (received, gate) = (Recorder<Int>(), DispatchSemaphore(value: 0))
        let transfers = PartsTransfers(source, leavesThread: true)
        let adapted = task(of: transfers)
        adapted.stream { part in
            guard case .bytes(let bytes) = part else { return }
            if received.values.isEmpty { gate.wait() }
            received.append(bytes.count)
        }
        adapted.resume()
        let task = tasks[0]
        task.give(head: 200)
        // The receiver is still handling the first body part.
        task.give("begin")
        let half = String(repeating: "x", count: 64 * 1024)
        task.give(half)
        #expect(task.calls.values == [.resume])
        task.give(half)
        #expect(task.calls.values == [.resume, .suspend])
        gate.signal()
        #expect(await received.first(3) == [5, 64 * 1024, 64 * 1024])
        #expect(await task.calls.first(3) == [.resume, .suspend, .resume])
        adapted.cancel()
    }

    @Test(
        "A head that arrives while the task is suspended is handled, but delivered only after resume()",
        arguments: [200, 302])
    func suspendedHead(status: Int) async {
        let adapted = streaming()
        adapted.suspend()
        tasks[0].give(head: status, location)
        #expect(tasks.count == (status == 302 ? 2 : 1))
        #expect(recorder.all.isEmpty)
        if status == 302 { #expect(tasks[1].calls.values.isEmpty) }
        adapted.resume()
        if status == 302 { tasks[1].give(head: 200) }
        #expect(await recorder.events.first(1) == ["200"])
    }

    @Test("A redirect whose task is suspended while it is handled is cancelled")
    func suspendedWhileJudged() async {
        let task = Lock<(any DataTask)?>(nil)
        let transfers = PartsTransfers(source) { task.withLock { $0 }?.suspend() }
        let made = self.task(of: transfers)
        task.withLock { $0 = made }
        made.stream(to: recorder.receive)
        made.resume()
        tasks[0].give(head: 302, location)
        #expect(tasks.count == 2)
        #expect(tasks[0].calls.values == [.resume, .suspend, .cancel])
        made.cancel()
        task.withLock { $0 = nil }
    }

    @Test("Of several redirects, only the latest one is read to its end")
    func rejectedTwice() {
        let adapted = streaming()
        tasks[0].give(head: 302, location)
        tasks[1].give(head: 302, location)
        #expect(tasks.map(\.calls.values) == [[.resume, .cancel], [.resume], [.resume]])
        adapted.cancel()
    }

    @Test("A cancel completes the task immediately and drops waiting body parts", arguments: [true, false])
    func cancelled(isSuspended: Bool) {
        let adapted = streaming()
        tasks[0].give(head: 200)
        if isSuspended {
            adapted.suspend()
            tasks[0].give("a")
        }
        adapted.cancel()
        tasks[0].give("b")
        tasks[0].end(200)
        adapted.resume()
        #expect(recorder.all == ["200", "end: cancelled"])
    }

    @Test("A cancel from within the receiver completes the task after the receiver returns")
    func cancelledWithin() {
        let adapted = made()
        adapted.stream { part in
            adapted.cancel()
            recorder.receive(part)
        }
        adapted.resume()
        tasks[0].give(head: 200)
        #expect(recorder.all == ["200", "end: cancelled"])
        #expect(tasks[0].calls.values == [.resume, .cancel])
    }

    @Test("A failure after the head was accepted fails the task, and nothing is sent again")
    func failsLater() {
        let adapted = streaming()
        tasks[0].give(head: 200)
        tasks[0].fail(URLError(.networkConnectionLost))
        #expect(recorder.all == ["200", "end: failure"])
        #expect(tasks.count == 1)
        adapted.resume()
    }

    @Test("The receiver is released when the task completes", arguments: [true, false])
    func released(isCancelled: Bool) {
        let adapted = made()
        var token: Token? = Token()
        weak let weakToken = token
        adapted.stream { [token] _ in withExtendedLifetime(token) {} }
        token = nil
        adapted.resume()
        tasks[0].give(head: 200)
        #expect(weakToken != nil)
        if isCancelled { adapted.cancel() } else { tasks[0].end(200) }
        #expect(weakToken == nil)
    }

    private final class Token: Sendable {}
}

/// A source of transfers that deliver the events that the test sends.
final class PartsTransfers: TransferSource, SizedDataSource {
    let base: PartsDataSource
    let redirectPolicy: RedirectPolicy
    let openAttempts = OpenAttempts()
    let attemptTimeout: Duration? = nil
    let maximumBodySize = Int.max

    let hasEventLoop: Bool

    /// - Parameter leavesThread: Whether the owner moves the calls from the transfers' thread to a worker
    /// thread.
    init(
        _ base: PartsDataSource, leavesThread: Bool = false, onRedirect: @escaping @Sendable () -> Void = {}
    ) {
        self.base = base
        hasEventLoop = leavesThread
        redirectPolicy = .custom { _, proposed in
            onRedirect()
            return proposed
        }
    }

    func transfer(for request: URLRequest) -> any Transfer { DataTaskTransfer(request, through: base) }

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        ManagedDataTask(completion) { ExchangeOperation(request, self, $0) }
    }
}
