import Foundation
import LoopbackServer
import SwallowResources
import TestSupport
import Testing

@testable import Swallow

#if os(Linux) && canImport(Glibc)
    @Suite("Code that runs on the thread of CurlDataSource's loop", .enabled(if: CurlDataSource.isAvailable))
    struct CurlThreadTests {
        private let server: LoopbackServer
        private let source = CurlDataSource()
        private let threads = Recorder<pthread_t>()

        init() throws {
            server = try LoopbackServer()
        }

        private func service(_ path: String) -> WebService {
            .test(source, base: "\(server.baseURLString)\(path)")
        }

        private func note() {
            threads.append(pthread_self())
        }

        private func loopThread() async -> pthread_t {
            await withCheckedContinuation { continuation in
                _ = source.loop.visitCookies { _ in continuation.resume(returning: pthread_self()) }
            }
        }

        enum Setting: CaseIterable {
            case plain, retried, authenticated

            func apply(to configuration: inout WebService.Configuration) {
                if self != .plain { configuration.retry = .standard }
                if self == .authenticated {
                    let token = TokenAuthenticator.Token("secret")
                    configuration.authenticator = TokenAuthenticator(token: token) { _ in token }
                }
            }
        }

        @Test(
            "The loop's thread resumes an await, even for a request with a retry policy and a token",
            arguments: Setting.allCases)
        func awaits(setting: Setting) async throws {
            let executor = NotingExecutor { note() }
            var service = service("/bytes/10")
            service.configure { setting.apply(to: &$0) }
            // Another thread resumes the await if the response arrives first or a thread has to wait, so the test tries
            // again.
            for _ in 0..<100 {
                let data = try await withTaskExecutorPreference(executor) { try await service.GET("").data }
                #expect(data.count == 10)
                if await threads.values.contains(loopThread()) { return }
            }
            Issue.record("another thread resumes each await")
        }

        @Test(
            "A success refills the budget of a policy that retries, but not of a policy that never retries",
            arguments: [0, 1])
        func budget(count: Int) async throws {
            let budget = RetryPolicy.Budget(limit: 1, refill: 1)
            var service = service("/bytes/10")
            service.configure {
                $0.retry.budget = budget
                $0.retry.maximumRetries = count
                $0.authenticator = TokenAuthenticator(token: .init("secret")) { _ in .init("secret") }
            }
            let url = URL(string: server.baseURLString)
            #expect(budget.take(for: url) && !budget.take(for: url))
            #expect(try await service.GET("").data.count == 10)
            #expect(budget.take(for: url) == (count == 1))
        }

        @Test(
            "The app's code never runs on the loop's thread",
            arguments: ["/bytes/10", "/status/404", "/redirect/1"])
        func apps(path: String) async throws {
            var service = service(path)
            service.configure {
                $0.retry = RetryPolicy()
                $0.retry.decide = { _ in
                    note()
                    return nil
                }
            }
            _ = try? await service.GET("").data
            service = self.service(path)
            service.log = { _ in note() }
            _ = try? await service.GET("").data
            service = self.service(path)
            service.unhandledError = { _ in note() }
            let queue = DispatchQueue(label: "handlers")
            let ended = Recorder<Void>()
            service.GET("")
                .response(queue) { _, _ in note() }
                .responseError(queue) { _ in note() }
                .response(queue) { _, _ in ended.append(()) }
                .responseError(queue) { _ in ended.append(()) }
                .resume()
            _ = await ended.first(1)
            service = self.service(path)
            _ = try? await service.future(as: Data.self) { $0.GET("") }.map { _ in note() }.value
            _ = try? await service.future { $0.GET("") }.map { note() }.value
            let call = Call(try server.request(path), source)
            _ = await call.resumed().outcome
            #expect(threads.values.count >= 3)
            #expect(await !threads.values.contains(loopThread()))
        }

        @Test("A task that is released on the loop's thread releases the app's objects on another thread")
        func last() async throws {
            let isGone = Event()
            let manual = ManualDataSource()
            let held = Lock<ServiceTask?>(nil)
            do {
                let token = Remains { [threads] in
                    threads.append(pthread_self())
                    isGone.happen()
                }
                var service = WebService.test(manual)
                service.unhandledError = { [threads] _ in
                    withExtendedLifetime(token) { threads.append(pthread_self()) }
                }
                let task = service.GET("/")
                await manual.exchange.answer(status: 500)
                await manual.exchange.drop()
                held.withLock { $0 = task }
            }
            _ = source.loop.visitCookies { _ in _ = held.withLock { $0.take() } }
            await isGone.wait()
            #expect(threads.values.count == 2)
            #expect(await !threads.values.contains(loopThread()))
        }

        @Test("The cancellation handler of a sent sequence doesn't run on the loop's thread")
        func sentSequence() async {
            let (isRead, isCancelled) = (Event(), Event())
            let parts = AsyncStream<Data> {
                await withTaskCancellationHandler {
                    isRead.happen()
                    await isCancelled.wait()
                    return nil
                } onCancel: {
                    note()
                    isCancelled.happen()
                }
            }
            let task = service("/bytes/10").POST("", options: [.body(stream: parts)])
            await isRead.wait()
            task.cancel()
            await isCancelled.wait()
            #expect(threads.values.count == 1)
            #expect(await !threads.values.contains(loopThread()))
        }

        @Test("Completions that arrive together all reach their handlers and awaits")
        func together() async throws {
            let service = service("/bytes/10")
            let queue = DispatchQueue(label: "handlers", attributes: .concurrent)
            let handled = Recorder<Int>()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let task = service.GET("")
                        if number.isMultiple(of: 3) {
                            task.response(queue) { _, data in handled.append(data.count) }
                        }
                        if number.isMultiple(of: 5) { task.cancel() }
                        return (try? await task.data.count) ?? 0
                    }
                }
                let sum = try await group.reduce(0, +)
                // Cancelled tasks may have completed before the cancel.
                #expect((160...200).contains(sum / 10) && sum % 10 == 0)
            }
            #expect(await handled.first(53).count == 53)
        }
    }

    private final class Remains: Sendable {
        private let whenGone: @Sendable () -> Void
        init(_ whenGone: @escaping @Sendable () -> Void) { self.whenGone = whenGone }
        deinit { whenGone() }
    }

    /// An executor that records each job.
    private final class NotingExecutor: TaskExecutor {
        private let note: @Sendable () -> Void
        private let queue = DispatchQueue(label: "NotingExecutor")

        init(_ note: @escaping @Sendable () -> Void) {
            self.note = note
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            note()
            queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
#endif
