import Foundation
import TestSupport
import Testing

@testable import Swallow

@Suite("A bag of tasks that are cancelled together")
struct TaskBagTests {
    private let source = ManualDataSource()
    private let log = Recorder<String>()

    private func start(_ name: String, _ bag: TaskBag) {
        WebService.test(source).GET("/")
            .response(.utility) { _, _ in log.append("\(name) success") }
            .responseError(.utility) { log.append("\(name) \($0.reason)") }
            .add(to: bag)
    }

    @Test("Cancelling a bag cancels its tasks and no others, and the bag can be used again")
    func cancel() async {
        let bag = TaskBag()
        start("a", bag)
        start("b", bag)
        let other = WebService.test(source).GET("/")
        bag.cancel()
        #expect(await Set(log.first(2)) == ["a cancelled", "b cancelled"])
        #expect(other.state == .running)
        start("c", bag)
        bag.cancel()
        #expect(await log.first(3)[2] == "c cancelled")
    }

    @Test("A bag cancels its tasks when it is deinitialized")
    func deinitialized() async {
        do {
            let bag = TaskBag()
            start("a", bag)
        }
        #expect(await log.first(1) == ["a cancelled"])
    }

    @Test("Cancelling a bag doesn't change a task that has completed")
    func ended() async throws {
        let bag = TaskBag()
        let task = WebService.test(source).GET("/").add(to: bag)
        await source.exchange.answer("[1]")
        #expect(try await task.json == [1])
        bag.cancel()
        #expect(try await task.json == [1])
    }

    @Test("A bag keeps no task alive")
    func memory() async {
        let bag = TaskBag()
        let isGone = Event()
        do {
            let token = Token(isGone)
            var service = WebService.test(source)
            service.startTasksImmediately = false
            service.GET("/").response { _, _ in withExtendedLifetime(token) {} }.add(to: bag)
        }
        await isGone.wait()
        withExtendedLifetime(bag) {}
    }

    @Test(
        "A bag doesn't grow with tasks that have completed, even if they are still referenced",
        arguments: [true, false])
    func growth(areHeld: Bool) async throws {
        let service = WebService.test(ManualDataSource(answersInResume: { $0.answer() }))
        let bag = TaskBag()
        var tasks: [ServiceTask] = []
        for _ in 0..<2000 {
            let task = service.GET("/").add(to: bag)
            _ = try await task.data
            if areHeld { tasks.append(task) }
        }
        #expect(bag.count <= 32)
        withExtendedLifetime(tasks) {}
    }

    @Test("A bag cancels all of its tasks, even if there are many")
    func many() async {
        let bag = TaskBag()
        let tasks = (0..<500).map { _ in WebService.test(source).GET("/").add(to: bag) }
        #expect(bag.count == 500)
        bag.cancel()
        #expect(tasks.allSatisfy { $0.state == .completed })
    }

    private final class Token: Sendable {
        let isGone: Event
        init(_ isGone: Event) { self.isGone = isGone }
        deinit { isGone.happen() }
    }
}
