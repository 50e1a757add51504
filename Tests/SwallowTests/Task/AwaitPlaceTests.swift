import Foundation
import Swallow
import TestSupport
import Testing

@Suite("The threads on which awaits decode their content")
struct AwaitPlaceTests {
    @TaskLocal private static var caller = "nobody"

    /// A model that records the Swift task and the kind of thread that decode it.
    private struct Note: Decodable, Sendable {
        let caller = AwaitPlaceTests.caller
        let isOnMainThread = Thread.isMainThread

        init(from decoder: any Decoder) {}
    }

    @Test("An await decodes in the Swift task that awaits, without a thread hop")
    func ownTask() async throws {
        let source = ManualDataSource()
        let task = WebService.test(source).GET("/")
        async let note: Note = Self.$caller.withValue("me") { try await task.decoded() }
        await source.exchange.answer("{}")
        #expect(try await note.caller == "me")
    }

    @Test("An await on the main actor decodes off the main thread")
    @MainActor func mainActor() async throws {
        let source = ManualDataSource()
        let task = WebService.test(source).GET("/")
        await source.exchange.answer("{}")
        let note: Note = try await Self.$caller.withValue("me") { try await task.decoded() }
        #expect(!note.isOnMainThread)
        #expect(note.caller == "nobody")
    }

    @Test("If several awaits wait, each one receives its content, and handlers attached later still run")
    func turns() async throws {
        let source = ManualDataSource()
        let handled = Recorder<Int>()
        let task = WebService.test(source).GET("/")
        async let first: [Int] = task.decoded()
        async let second = task.json
        await source.exchange.answer("[1]")
        #expect(try await first == [1])
        #expect(try await second[0] == 1)
        await withCheckedContinuation { continuation in
            task.responseJSON(.global()) { _ in
                handled.append(1)
                continuation.resume()
            }
        }
        #expect(handled.values == [1])
    }

    @Test("Each of several awaits decodes in its own task")
    func eachInItsOwn() async throws {
        let source = ManualDataSource()
        let task = WebService.test(source).GET("/")
        let answers = Recorder<String>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let note: Note = try await Self.$caller.withValue("\(number)") {
                        try await task.decoded()
                    }
                    answers.append("\(number) \(note.caller)")
                }
            }
            await source.exchange.answer("{}")
            try await group.waitForAll()
        }
        #expect(Set(answers.values) == Set((0..<8).map { "\($0) \($0)" }))
    }

    @Test("Transformers of the app don't run in the Swift task that awaits")
    func stages() async throws {
        let source = ManualDataSource()
        var service = WebService.test(source)
        let callers = Recorder<String>()
        service.configureTransformer { (entity: Entity<JSON>) -> JSON? in
            callers.append(Self.caller)
            return entity.content
        }
        let task = service.GET("/")
        async let json: JSON = Self.$caller.withValue("me") { try await task.content() }
        await source.exchange.answer("[1]")
        #expect(try await json[0] == 1)
        #expect(callers.values == ["nobody"])
    }

    @Test("A large body isn't decoded in the Swift task that awaits, so the await can still be cancelled")
    func large() async throws {
        let source = ManualDataSource()
        let task = WebService.test(source).GET("/")
        async let note: Note = Self.$caller.withValue("me") { try await task.decoded() }
        await source.exchange.answer("{" + String(repeating: " ", count: 100_000) + "}")
        #expect(try await note.caller == "nobody")
    }
}
