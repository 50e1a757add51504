import Foundation
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Intercepting")
struct InterceptingTests {
    private let base = ManualDataSource()

    /// Returns a data source whose closure changes the request before it sends it.
    private func source(
        over base: any SessionDataTaskDataSource,
        _ change: @escaping @Sendable (inout URLRequest) async throws -> Void = { _ in }
    ) -> any SessionDataTaskDataSource {
        base.intercepting { request, next in
            var request = request
            try await change(&request)
            return try await next(request)
        }
    }

    @Test("The closure runs once for each task, when the task is first resumed, and can change the request")
    func rewrites() async {
        let runs = Recorder<Int>()
        let source = source(over: base) { request in
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

    @Test("The closure runs off the main thread for a task that the main actor resumes")
    @MainActor func offTheMainThread() async {
        DispatchQueue.main.setSpecific(key: QueueProbe.key, value: true)
        let places = Recorder<Bool>()
        await Task { places.append(QueueProbe.isOnMainQueue) }.value
        let joiner = Call(source(over: base) { _ in places.append(QueueProbe.isOnMainQueue) }).resumed()
        #expect(await places.first(2) == [true, false])
        joiner.task.cancel()
    }

    @Test("The closure can read the response and return a different one")
    func changesResponses() async throws {
        let source = base.intercepting { request, next in
            let response = try await next(request)
            let text = String(decoding: try await response.data, as: UTF8.self)
            return try InterceptedResponse(
                status: response.head.statusCode + 1, headers: ["X": "y"], data: Data("<\(text)>".utf8),
                to: request)
        }
        let joiner = Call(source).resumed()
        await base.exchange.answer("1", status: 201)
        #expect(await joiner.outcome.text == "<1>")
        #expect(await joiner.outcome.status == 202)
    }

    @Test("The closure can return a response without sending a request")
    func fakes() async throws {
        let task = WebService.test(
            base.intercepting { request, _ in
                try InterceptedResponse(
                    status: 200, headers: ["Content-Type": "application/json"], data: Data("[1]".utf8),
                    to: request)
            }
        ).GET("/a")
        #expect(try await task.json[0].int == 1)
        #expect(base.exchanges.values.isEmpty)
    }

    @Test("The closure can send any number of requests")
    func sendsAgain() async {
        let base = ManualDataSource(answersInResume: {
            $0.answer("\($0.request.url?.path ?? "")", status: 503)
        })
        let source = base.intercepting { request, next in
            var response = try await next(request)
            for attempt in 1...3 where response.head.statusCode == 503 {
                response = try await next(.to("http://h/\(attempt)"))
            }
            return response
        }
        #expect(await Call(source).resumed().outcome.text == "/3")
        #expect(base.exchanges.values.count == 4)
    }

    @Test("If the closure sends two requests concurrently, it can cancel the slower one")
    func races() async {
        let source = base.intercepting { _, next in
            try await withThrowingTaskGroup(of: InterceptedResponse.self) { group in
                for path in ["slow", "fast"] { group.addTask { try await next(.to("http://h/\(path)")) } }
                defer { group.cancelAll() }
                return try await group.next() ?? InterceptedResponse(status: 500, to: .to("http://h/"))
            }
        }
        let joiner = Call(source).resumed()
        let exchanges = await base.exchanges.first(2)
        let fast = exchanges.first { $0.request.url?.path == "/fast" }
        let slow = exchanges.first { $0.request.url?.path == "/slow" }
        _ = await slow?.calls.first(1)
        fast?.answer("fast")
        #expect(await joiner.outcome.text == "fast")
        #expect(slow?.calls.values == [.resume, .cancel])
    }

    @Test("A request that the closure doesn't wait for is cancelled when the closure returns")
    func leavesBehind() async throws {
        let isSent = Event()
        let source = base.intercepting { request, next in
            Task { try await next(.to("http://h/behind")) }
            await isSent.wait()
            return try InterceptedResponse(status: 204, to: request)
        }
        let joiner = Call(source).resumed()
        let calls = await base.exchange.calls
        _ = await calls.first(1)
        isSent.happen()
        #expect(await joiner.outcome.status == 204)
        #expect(await calls.first(2) == [.resume, .cancel])
    }

    @Test("A next function that is called after the task has completed sends nothing")
    func storedNext() async throws {
        let kept = Recorder<NextDataSource>()
        let source = base.intercepting { request, next in
            kept.append(next)
            return try InterceptedResponse(status: 204, to: request)
        }
        #expect(await Call(source).resumed().outcome.status == 204)
        let next = await kept.first(1)[0]
        await #expect(throws: CancellationError.self) { try await next(.to("http://h/late")) }
        #expect(base.exchanges.values.isEmpty)
    }

    @Test("A cancelled task completes immediately and cancels the closure, even if that never returns")
    func cancel() async {
        let (isRunning, isCancelled, isGone) = (Event(), Event(), Event())
        let waiting = Recorder<CheckedContinuation<Void, Never>>()
        let source = source(over: base) { _ in
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
        // If a second request is sent first, the first one wasn't sent before it.
        let other = Call(.to("http://h/b"), self.source(over: base)).resumed()
        #expect(await base.exchange.request.url?.path() == "/b")
        other.task.cancel()
        #expect(answers.values.count == 1)
    }

    @Test("A task that is cancelled before resume() doesn't run the closure")
    func cancelBefore() async {
        let runs = Recorder<Void>()
        let joiner = Call(source(over: base) { _ in runs.append(()) })
        joiner.task.cancel()
        joiner.task.resume()
        #expect(await joiner.outcome.isCancelled)
        #expect(runs.values.isEmpty)
    }

    @Test("A task that is cancelled after the closure has sent its request cancels that request")
    func cancelAfter() async {
        let joiner = Call(source(over: base)).resumed()
        let calls = await base.exchange.calls
        _ = await calls.first(1)
        joiner.task.cancel()
        #expect(joiner.outcomes.map(\.isCancelled) == [true])
        #expect(await calls.first(2) == [.resume, .cancel])
    }

    @Test("A task that is suspended while the closure runs sends nothing until it is resumed")
    func suspendedStart() async {
        let (isSuspended, isSending) = (Event(), Event())
        let source = source(over: base) { _ in
            await isSuspended.wait()
            isSending.happen()
        }
        let joiner = Call(source).resumed()
        joiner.task.suspend()
        isSuspended.happen()
        let calls = await base.exchange.calls
        #expect(calls.values == [])
        joiner.task.resume()
        #expect(await calls.first(1) == [.resume])
        joiner.task.suspend()
        #expect(await calls.first(2) == [.resume, .suspend])
        joiner.task.resume()
        #expect(await calls.first(3) == [.resume, .suspend, .resume])
    }

    @Test(
        "A suspended task receives its response or the closure's error after resume()",
        arguments: [true, false])
    func suspended(throwing: Bool) async {
        let (isSuspended, hasRun) = (Event(), Event())
        let source = source(over: base) { _ in
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

    @Test("An error that the closure throws is the task's error")
    func throwing() async {
        let lost = URLError(.networkConnectionLost)
        let errors: [(any Error, ServiceError.Reason)] = [
            (ServiceError(.timedOut), .timedOut), (CancellationError(), .cancelled),
            (AppError(code: 3), .thrown), (lost, .transport(lost)),
        ]
        for (thrown, reason) in errors {
            let task = WebService.test(source(over: base) { _ in throw thrown }).GET("/a")
            let failure = await task.result.failure
            #expect(failure?.reason == reason)
            #expect(failure?.request?.urlString == "http://service.test/a")
            if reason == .thrown { #expect(failure?.underlying.map { type(of: $0) } == type(of: thrown)) }
        }
        #expect(base.exchanges.values.isEmpty)
    }

    @Test("An error of the base data source is the task's error if the closure doesn't catch it")
    func baseFails() async {
        let joiner = Call(source(over: base)).resumed()
        await base.exchange.complete(error: URLError(.cannotFindHost))
        #expect((await joiner.outcome.error as? URLError)?.code == .cannotFindHost)
    }

    @Test("A request that the closure has made invalid fails with a clear error and isn't sent")
    func illegal() async {
        let changes: [(@Sendable (inout URLRequest) -> Void, ServiceError.Reason, String)] = [
            ({ $0.allHTTPHeaderFields = ["X": "a\0b"] }, .invalidRequest, "\"X\""),
            ({ $0.setValue("a", forHTTPHeaderField: "X Y") }, .invalidRequest, "\"X Y\""),
            ({ $0.httpMethod = "GET /" }, .invalidRequest, "\"GET /\""),
            ({ $0.url = URL(filePath: "/etc") }, .invalidURL, "file:///etc"),
            ({ $0.url = nil }, .invalidURL, "not an HTTP URL"),
        ]
        // If the request were sent, it would receive a response.
        let base = ManualDataSource(answersInResume: { $0.answer() })
        for (change, reason, words) in changes {
            let task = WebService.test(source(over: base) { change(&$0) }).GET("/a")
            let failure = await task.result.failure
            #expect(failure?.reason == reason)
            #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
            #expect(failure?.request?.urlString == "http://service.test/a")
        }
        #expect(base.exchanges.values.isEmpty)
    }

    @Test("If the base data source responds inside resume(), and twice, the first response counts")
    func answersInResume() async {
        let base = ManualDataSource(answersInResume: {
            $0.answer("1")
            $0.answer("2")
        })
        let joiner = Call(source(over: base)).resumed()
        #expect(await joiner.outcome.text == "1")
        let other = Call(source(over: base)).resumed()
        #expect(await other.outcome.text == "1")
        #expect(joiner.outcomes.count == 1)
    }

    @Test("If the base data source releases its completion, the task fails with .invalidResponse")
    func letsGo() async {
        let task = WebService.test(source(over: base)).GET("/")
        await base.exchange.drop()
        #expect(await task.result.failure?.reason == .invalidResponse)
    }

    @Test("A running task that is dropped receives its response")
    func dropped() async {
        let answers = Call(source(over: base)).resumed().recorder
        await base.exchange.answer("1")
        #expect(await answers.first(1)[0].text == "1")
    }

    @Test("An interceptor below coalescing runs once for all tasks, and above coalescing once for each task")
    func composed() async {
        let runs = Recorder<Void>()
        let first = ManualDataSource()
        let shared = source(over: first) { _ in runs.append(()) }.coalescing()
        let joiners = (0..<3).map { _ in Call(shared).resumed() }
        await first.exchange.answer("1")
        for joiner in joiners { #expect(await joiner.outcome.text == "1") }
        #expect(runs.values.count == 1)
        #expect(first.exchanges.values.count == 1)

        let second = ManualDataSource()
        let each = source(over: second.coalescing()) { request in
            runs.append(())
            request.setValue("\(runs.values.count)", forHTTPHeaderField: "X")
        }
        _ = (0..<3).map { _ in Call(each).resumed() }
        #expect(await second.exchanges.first(3).count == 3)
        #expect(runs.values.count == 4)
    }

    @Test("The data task of the closure's first request is released outside the lock")
    func releasedOutsideLock() async {
        let (task, released) = (Lock<(any DataTask)?>(nil), Event())
        let base = WatchedDataSource {
            // This would wait forever if the adapter held its lock.
            _ = task.withLock { $0 }?.transferProgress
            released.happen()
        }
        let source = base.intercepting { request, next in
            _ = try await next(request).data
            return try await next(request)
        }
        let call = Call(source)
        task.withLock { $0 = call.task }
        call.task.resume()
        #expect(await call.outcome.text == "ok")
        await released.wait()
        let last = task.withLock { $0.take() }
        withExtendedLifetime(last) {}
    }
}

/// Calls a closure when its first data task is released.
private struct WatchedDataSource: SessionDataTaskDataSource {
    private final class Task: DataTask {
        private let onResume: @Sendable () -> Void
        private let onRelease: @Sendable () -> Void

        init(onResume: @escaping @Sendable () -> Void, onRelease: @escaping @Sendable () -> Void) {
            (self.onResume, self.onRelease) = (onResume, onRelease)
        }

        deinit { onRelease() }

        func resume() { DispatchQueue.global().async(execute: onResume) }
        func suspend() {}
        func cancel() {}
    }

    let onRelease: @Sendable () -> Void

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let response = request.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: 200, httpVersion: nil, headerFields: nil)
        }
        return Task(onResume: { completion(Data("ok".utf8), response, nil) }, onRelease: onRelease)
    }
}
