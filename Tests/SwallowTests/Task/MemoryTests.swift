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

    @Test("A finished task keeps no handler alive", arguments: [200, 500])
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

    @Test("Dropping a task that was never resumed lets go of its handlers")
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

    @Test("A task that has ended is let go of by everybody")
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
