import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Intercepting and streams")
struct InterceptingStreamTests {
    private let base = PartsDataSource()
    private let recorder = PartsRecorder()

    private func task(
        _ interceptor: @escaping InterceptOperation.Interceptor
    ) -> any DataTask {
        InterceptingDataSource(base, interceptor).dataTask(
            with: .to("http://h/a"), completion: recorder.complete)
    }

    /// Starts a task, waits until it has sent its request, and returns that request's task.
    private func started(_ task: any DataTask) async -> PartsTask {
        task.resume()
        let sent = await base.tasks.first(1)[0]
        _ = await sent.calls.first(1)
        return sent
    }

    @Test("A body that the interceptor doesn't read is streamed", arguments: [true, false])
    func unread(isStreamed: Bool) async {
        let task = task { try await $1($0) }
        if isStreamed { task.stream(to: recorder.receive) }
        let sent = await started(task)
        sent.give(head: 200)
        // The transfer pauses at the head until it is known who reads the body.
        #expect(await sent.calls.first(3) == [.resume, .suspend, .resume])
        sent.give("a")
        sent.give("b")
        sent.end(200, "c")
        let events = isStreamed ? ["200", "\"a\"", "\"b\"", "end: c"] : ["end: abc"]
        #expect(await recorder.events.first(events.count) == events)
    }

    @Test("A receiver that is set late receives the bytes of an unread body that have arrived")
    func late() async {
        let task = task { try await $1($0) }
        let sent = await started(task)
        sent.give(head: 200)
        _ = await sent.calls.first(3)
        sent.give("a")
        task.stream(to: recorder.receive)
        #expect(await recorder.events.first(2) == ["200", "\"a\""])
        sent.give("b")
        sent.end(200)
        #expect(await recorder.events.first(4) == ["200", "\"a\"", "\"b\"", "end: "])
    }

    @Test(
        "A body that exceeds the base's limit for memory fails its task and cancels the transfer",
        arguments: [true, false])
    func tooLarge(isRead: Bool) async {
        let source = LimitedDataSource(base: base, maximumBodySize: 3).intercepting { request, next in
            let response = try await next(request)
            if isRead { _ = try await response.data }
            return response
        }
        let task = source.dataTask(with: .to("http://h/a"), completion: recorder.complete)
        task.resume()
        let sent = await base.tasks.first(1)[0]
        _ = await sent.calls.first(1)
        sent.give(head: 200)
        _ = await sent.calls.first(3)
        sent.give("abcd")
        #expect(await recorder.events.first(1) == ["end: failure"])
        #expect(await sent.calls.first(4).last == .cancel)
    }

    @Test("The interceptor receives the head first, and can then read the body")
    func read() async {
        let statuses = Recorder<Int>()
        let task = task { request, next in
            let response = try await next(request)
            statuses.append(response.head.statusCode)
            let text = String(decoding: try await response.data, as: UTF8.self)
            return InterceptedResponse(response.head, data: Data(text.uppercased().utf8))
        }
        task.stream(to: recorder.receive)
        let sent = await started(task)
        sent.give(head: 200)
        #expect(await statuses.first(1) == [200])
        #expect(await sent.calls.first(3) == [.resume, .suspend, .resume])
        sent.give("a")
        sent.end(200, "b")
        #expect(await recorder.events.first(1) == ["end: AB"])
    }

    @Test("A response that is dropped unread is cancelled, and the next response replaces it")
    func dropped() async {
        let task = task { request, next in
            let isRefused = try await next(request).head.statusCode == 503
            return isRefused ? try await next(request) : try InterceptedResponse(status: 500, to: request)
        }
        task.stream(to: recorder.receive)
        task.resume()
        let first = await base.tasks.first(1)[0]
        _ = await first.calls.first(1)
        first.give(head: 503)
        let second = await base.tasks.first(2)[1]
        #expect(await first.calls.first(3).last == .cancel)
        _ = await second.calls.first(1)
        second.give(head: 200)
        _ = await second.calls.first(3)
        second.end(200, "a")
        #expect(await recorder.events.first(2) == ["200", "end: a"])
    }

    /// Returns a task whose response continues after its head, and the task that sends it.
    private func onItsWay(isRead: Bool) async -> (task: any DataTask, sent: PartsTask) {
        let task = task { request, next in
            let response = try await next(request)
            if isRead { _ = try await response.data }
            return response
        }
        let sent = await started(task)
        sent.give(head: 200)
        _ = await sent.calls.first(3)
        return (task, sent)
    }

    @Test("A failure after the head fails the task", arguments: [true, false])
    func failure(isRead: Bool) async {
        let (_, sent) = await onItsWay(isRead: isRead)
        sent.fail(URLError(.networkConnectionLost))
        #expect(await recorder.events.first(1) == ["end: failure"])
    }

    @Test("A cancel completes the task immediately while its body arrives", arguments: [true, false])
    func cancelled(isRead: Bool) async {
        let (task, sent) = await onItsWay(isRead: isRead)
        task.cancel()
        #expect(recorder.all == ["end: cancelled"])
        #expect(await sent.calls.first(4).last == .cancel)
    }
}

private struct LimitedDataSource: SizedDataSource {
    let base: any SessionDataTaskDataSource
    let maximumBodySize: Int

    func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        base.dataTask(with: request, completion: completion)
    }
}
