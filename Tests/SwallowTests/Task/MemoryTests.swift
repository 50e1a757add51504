import Foundation
import Testing
import TestSupport

@testable import Swallow

@Suite("Memory")
struct MemoryTests {
    private final class Token: Sendable {
        let isGone: Event
        init(_ isGone: Event) { self.isGone = isGone }
        deinit { isGone.happen() }
    }

    @Test("A running task keeps itself alive")
    func runningTask() async {
        let source = ManualDataSource()
        let event = Event()
        weak let task = WebService.test(source).GET("/").response(.utility) { _, _ in event.happen() }
        #expect(task != nil)
        await source.exchange.answer()
        await event.wait()
    }

    @Test("A completed task keeps no handler alive", arguments: [200, 500])
    func finishedTask(status: Int) async {
        let source = ManualDataSource()
        let isGone = Event()
        let task = WebService.test(source).GET("/")
        do {
            let token = Token(isGone)
            task.response(.utility) { _, _ in withExtendedLifetime(token) {} }
                .responseError(.utility) { _ in withExtendedLifetime(token) {} }
                .responseCompleted(.utility) { _ in withExtendedLifetime(token) {} }
        }
        await source.exchange.answer(status: status)
        await isGone.wait()
        withExtendedLifetime(task) {}
    }

    @Test("Dropping a task that was never resumed releases its handlers")
    func neverResumed() async {
        let isGone = Event()
        do {
            let token = Token(isGone)
            var service = WebService.test(ManualDataSource())
            service.startTasksImmediately = false
            service.GET("/").response { _, _ in withExtendedLifetime(token) {} }
        }
        await isGone.wait()
    }

    /// An object that holds a task. The task's handler holds this object.
    private final class Owner: Sendable {
        let task: ServiceTask
        private let token: Token

        init(_ service: WebService, _ isGone: Event) {
            task = service.GET("/stores")
            token = Token(isGone)
            task.response(.utility) { _, _ in withExtendedLifetime(self) {} }
        }
    }

    private func idle(_ log: Recorder<LogEvent> = Recorder()) -> WebService {
        var service = WebService.test(ManualDataSource(answersInResume: { $0.answer() }))
        service.startTasksImmediately = false
        service.log = { log.append($0) }
        return service
    }

    @Test("A completed task releases an owner that its handler captured", arguments: [200, 500])
    func startedCycle(status: Int) async {
        let isGone = Event()
        let source = ManualDataSource(answersInResume: { $0.answer(status: status) })
        _ = Owner(WebService.test(source), isGone)
        await isGone.wait()
    }

    @Test(
        "Cancelling or resuming a task that was never resumed releases the owner that its handler captured",
        arguments: [true, false])
    func unstartedCycle(isCancelled: Bool) async {
        let isGone = Event()
        do {
            let owner = Owner(idle(), isGone)
            if isCancelled { owner.task.cancel() } else { owner.task.resume() }
        }
        await isGone.wait()
    }

    @Test("A task is reported if it has handlers but was never resumed, and other tasks aren't reported")
    func forgotten() async {
        let log = Recorder<LogEvent>()
        let forgotten = idle(log).GET("/stores?a=1").response { _, _ in }
        let bare = idle(log).GET("/bare")
        let started = idle(log).GET("/started").response(.utility) { _, _ in }.resume()
        _ = await started.result
        for task in [forgotten, bare, started] { task.reportIfNotResumed() }
        let problems = log.values.compactMap {
            if case .misconfigured(let problem) = $0 { problem } else { nil }
        }
        // If the test takes longer than a minute, the task's own timer reports the same problem again.
        let problem = "GET http://service.test/stores?a=1 has handlers but wasn't resumed within a minute"
        #expect(Set(problems) == [problem])
    }

    @Test("A completed task is released, even if its timeout hasn't passed")
    func endedTask() async {
        let source = ManualDataSource()
        let isGone = Event()
        do {
            let token = Token(isGone)
            var service = WebService.test(source)
            service.unhandledError = { _ in withExtendedLifetime(token) {} }
            let task = service.GET("/", options: [.timeout(.seconds(3600))]).responseJSON(.utility) { _ in }
            await source.exchange.answer()
            _ = await task.result
            await source.exchange.drop()
        }
        await isGone.wait()
    }
}
