import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Adapting requests")
struct AdaptingTests {
    private let base = ManualDataSource()

    @Test("The closure rewrites each request, once, when its task is first resumed")
    func rewrites() async {
        let runs = Recorder<Int>()
        let source = base.adaptingRequests { request in
            runs.append(1)
            await Task.yield()
            request.setValue("\(runs.values.count)", forHTTPHeaderField: "X")
        }
        let joiners = [Call(source), Call(source)]
        #expect(runs.values.isEmpty)
        for (index, joiner) in joiners.enumerated() {
            joiner.task.resume()
            joiner.task.resume()
            let exchange = await base.exchanges.first(index + 1)[index]
            #expect(exchange.request.value(forHTTPHeaderField: "X") == "\(index + 1)")
            exchange.answer("\(index)", status: 201)
            #expect(await joiner.outcome.text == "\(index)")
            #expect(await joiner.outcome.status == 201)
            joiner.task.resume()
        }
        #expect(runs.values.count == 2)
        #expect(base.exchanges.values.count == 2)
    }

    @Test("The closure runs off the main thread, for a task that the main actor resumes")
    @MainActor func offTheMainThread() async {
        DispatchQueue.main.setSpecific(key: QueueProbe.key, value: true)
        let places = Recorder<Bool>()
        await Task { places.append(QueueProbe.isOnMainQueue) }.value
        let joiner = Call(base.adaptingRequests { _ in places.append(QueueProbe.isOnMainQueue) }).resumed()
        #expect(await places.first(2) == [true, false])
        joiner.task.cancel()
    }

    @Test("A cancelled task ends at once and cancels the closure's Swift task, even if that never returns")
    func cancel() async {
        let (isRunning, isCancelled, isGone) = (Event(), Event(), Event())
        let waiting = Recorder<CheckedContinuation<Void, Never>>()
        let source = base.adaptingRequests { _ in
            await withTaskCancellationHandler {
                await withCheckedContinuation {
                    waiting.append($0)
                    isRunning.happen()
                }
            } onCancel: {
                isCancelled.happen()
            }
        }
        let answers = Recorder<URLError.Code?>()
        do {
            let token = Token(isGone)
            let task = source.dataTask(with: .to("http://h/a")) { _, _, error in
                answers.append((error as? URLError)?.code)
                withExtendedLifetime(token) {}
            }
            task.resume()
            await isRunning.wait()
            task.cancel()
            #expect(answers.values == [.cancelled])
            #expect(isCancelled.hasHappened)
            task.resume()
        }
        #expect(isGone.hasHappened)
        waiting.values.first?.resume()
        // A second request that gets through shows that the first one didn't come before it.
        let other = Call(.to("http://h/b"), base.adaptingRequests { _ in }).resumed()
        #expect(await base.exchange.request.url?.path() == "/b")
        other.task.cancel()
        #expect(answers.values.count == 1)
    }

    @Test("A task that is cancelled before resume() runs no closure")
    func cancelBefore() async {
        let runs = Recorder<Void>()
        let joiner = Call(base.adaptingRequests { _ in runs.append(()) })
        joiner.task.cancel()
        joiner.task.resume()
        #expect(await joiner.outcome.isCancelled)
        #expect(runs.values.isEmpty)
    }

    @Test("After the closure, cancel() cancels the base's task")
    func cancelAfter() async {
        let joiner = Call(base.adaptingRequests { _ in }).resumed()
        let calls = await base.exchange.calls
        _ = await calls.first(1)
        joiner.task.cancel()
        #expect(joiner.outcomes.map(\.isCancelled) == [true])
        #expect(await calls.first(2) == [.resume, .cancel])
    }

    @Test("A task that was suspended while the closure ran doesn't start the base until it is resumed")
    func suspendedStart() {
        let place = JointExchange.opened(by: Answer { _, _, _ in })
        place.suspend()
        place.exchange.send(.to("http://h/a"), to: base)
        #expect(base.exchanges.values.map(\.calls.values) == [[]])
        place.resume()
        place.exchange.sendSignals()
        #expect(base.exchanges.values.map(\.calls.values) == [[.resume]])
    }

    @Test("A suspended task gets its answer, or the closure's error, at resume()", arguments: [true, false])
    func suspended(throwing: Bool) async {
        let (isSuspended, hasRun) = (Event(), Event())
        let source = base.adaptingRequests { _ in
            await isSuspended.wait()
            hasRun.happen()
            if throwing { throw AppError() }
        }
        let joiner = Call(source).resumed()
        joiner.task.suspend()
        isSuspended.happen()
        await hasRun.wait()
        if !throwing { await base.exchange.answer("1") }
        #expect(joiner.texts == [])
        joiner.task.resume()
        _ = await joiner.outcome
        #expect(joiner.texts == [throwing ? nil : "1"])
    }

    @Test("What the closure throws is the task's error")
    func throwing() async {
        let errors: [(any Error, ServiceError.Reason)] = [
            (ServiceError(.timedOut), .timedOut), (CancellationError(), .cancelled),
            (AppError(code: 3), .thrown), (URLError(.notConnectedToInternet), .thrown),
        ]
        for (thrown, reason) in errors {
            let task = WebService.test(base.adaptingRequests { _ in throw thrown }).GET("/a")
            let failure = await task.result.failure
            #expect(failure?.reason == reason)
            #expect(failure?.request?.urlString == "http://service.test/a")
            if reason == .thrown { #expect(failure?.underlying.map { type(of: $0) } == type(of: thrown)) }
        }
        #expect(base.exchanges.values.isEmpty)
    }

    @Test("A request that the closure has made illegal ends in one clear error, and isn't sent")
    func illegal() async {
        let changes: [(@Sendable (inout URLRequest) -> Void, ServiceError.Reason, String)] = [
            ({ $0.allHTTPHeaderFields = ["X": "a\0b"] }, .invalidRequest, "\"X\""),
            ({ $0.setValue("a", forHTTPHeaderField: "X Y") }, .invalidRequest, "\"X Y\""),
            ({ $0.httpMethod = "GET /" }, .invalidRequest, "\"GET /\""),
            ({ $0.url = URL(filePath: "/etc") }, .invalidURL, "file:///etc"),
            ({ $0.url = nil }, .invalidURL, "not an HTTP URL"),
        ]
        // One that is sent after all is answered.
        let base = ManualDataSource(answersInResume: { $0.answer() })
        for (change, reason, words) in changes {
            let task = WebService.test(base.adaptingRequests { change(&$0) }).GET("/a")
            let failure = await task.result.failure
            #expect(failure?.reason == reason)
            #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
            #expect(failure?.request?.urlString == "http://service.test/a")
        }
        #expect(base.exchanges.values.isEmpty)
    }

    @Test("A base that answers inside resume(), and twice, gives one answer")
    func answersInResume() async {
        let base = ManualDataSource(answersInResume: {
            $0.answer("1")
            $0.answer("2")
        })
        let joiner = Call(base.adaptingRequests { _ in }).resumed()
        #expect(await joiner.outcome.text == "1")
        let other = Call(base.adaptingRequests { _ in }).resumed()
        #expect(await other.outcome.text == "1")
        #expect(joiner.outcomes.count == 1)
    }

    @Test("A base that lets go of its completion ends the task without a response")
    func letsGo() async {
        let task = WebService.test(base.adaptingRequests { _ in }).GET("/")
        await base.exchange.drop()
        #expect(await task.result.failure?.reason == .invalidResponse)
    }

    @Test("A running task that is dropped gets its answer")
    func dropped() async {
        let answers = Call(base.adaptingRequests { _ in }).resumed().recorder
        await base.exchange.answer("1")
        #expect(await answers.first(1)[0].text == "1")
    }

    @Test("Adapting before coalescing runs the closure once for all; after it, for each task")
    func composed() async {
        let runs = Recorder<Void>()
        let first = ManualDataSource()
        let shared = first.adaptingRequests { _ in runs.append(()) }.coalescing()
        let joiners = (0..<3).map { _ in Call(shared).resumed() }
        await first.exchange.answer("1")
        for joiner in joiners { #expect(await joiner.outcome.text == "1") }
        #expect(runs.values.count == 1)
        #expect(first.exchanges.values.count == 1)

        let second = ManualDataSource()
        let each = second.coalescing().adaptingRequests { request in
            runs.append(())
            request.setValue("\(runs.values.count)", forHTTPHeaderField: "X")
        }
        _ = (0..<3).map { _ in Call(each).resumed() }
        #expect(await second.exchanges.first(3).count == 3)
        #expect(runs.values.count == 4)
    }
}
