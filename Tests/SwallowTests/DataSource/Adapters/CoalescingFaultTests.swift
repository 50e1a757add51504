import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Coalescing over misbehaving data sources, and memory")
struct CoalescingFaultTests {
    @Test("If the base data source responds inside resume(), and twice, the first response counts")
    func answersInResume() {
        let base = ManualDataSource(answersInResume: {
            $0.answer("1")
            $0.answer("2")
        })
        let source = CoalescingDataSource(base)
        for count in 1...3 {
            #expect(Call(source).resumed().texts == ["1"])
            #expect(base.exchanges.values.count == count)
            #expect(source.exchanges.isEmpty)
        }
    }

    @Test("If the base data source responds before it returns its task, the task receives the response")
    func answersTooEarly() {
        struct Hasty: SessionDataTaskDataSource {
            let base = ManualDataSource()

            func dataTask(
                with request: URLRequest,
                completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
            ) -> any DataTask {
                completion(Data("1".utf8), nil, nil)
                return base.dataTask(with: request, completion: completion)
            }
        }
        let hasty = Hasty()
        let source = CoalescingDataSource(hasty)
        #expect(Call(source).resumed().texts == ["1"])
        #expect(hasty.base.exchanges.values.map(\.calls.values) == [[.cancel]])
        #expect(source.exchanges.isEmpty)
    }

    @Test("A second response doesn't reach the tasks of a later request")
    func answersTwice() async {
        let base = ManualDataSource()
        let source = CoalescingDataSource(base)
        let first = Call(source).resumed()
        await base.exchange.answer("1")
        let second = Call(source).resumed()
        await base.exchange.answer("1 again")
        #expect(second.texts == [])
        #expect(!source.exchanges.isEmpty)
        base.exchanges.values.last?.answer("2")
        #expect(second.texts == ["2"])
        #expect(first.texts == ["1"])
    }

    @Test("A task can be cancelled if the base data source never responds")
    func neverAnswers() {
        let source = CoalescingDataSource(ManualDataSource())
        let joiner = Call(source).resumed()
        joiner.task.cancel()
        #expect(joiner.outcomes.map(\.isCancelled) == [true])
        #expect(source.exchanges.isEmpty)
    }

    @Test("If the base data source releases its completion, every task completes without a response")
    func letsGo() async {
        let base = ManualDataSource()
        let source = CoalescingDataSource(base)
        let joiners = (0..<2).map { _ in Call(source).resumed() }
        await base.exchange.drop()
        for joiner in joiners {
            #expect(joiner.texts == [nil])
            #expect(joiner.outcomes.first?.error == nil)
        }
        #expect(source.exchanges.isEmpty)
        let task = WebService.test(source).GET("/")
        base.exchanges.values.last?.drop()
        #expect(await task.result.failure?.reason == .invalidResponse)
    }

    @Test("A completion can send the same request again")
    func reentrant() async {
        let base = ManualDataSource()
        let source = CoalescingDataSource(base)
        let again = Recorder<Call>()
        let task = source.dataTask(with: .to("http://h/a")) { _, _, _ in
            again.append(Call(source).resumed())
        }
        task.resume()
        await base.exchange.answer("1")
        #expect(base.exchanges.values.count == 2)
        base.exchanges.values.last?.answer("2")
        #expect(await again.first(1)[0].texts == ["2"])
    }

    @Test("A running task that is dropped receives its response")
    func droppedRunning() async {
        let base = ManualDataSource()
        let answers = Call(CoalescingDataSource(base)).resumed().recorder
        await base.exchange.answer("1")
        #expect(answers.values.map(\.text) == ["1"])
    }

    @Test("A suspended task that is dropped leaves the shared request and releases its completion")
    func droppedSuspended() async {
        let base = ManualDataSource()
        let source = CoalescingDataSource(base)
        let isGone = Event()
        do {
            let token = Token(isGone)
            let task = source.dataTask(with: .to("http://h/a")) { _, _, _ in withExtendedLifetime(token) {} }
            task.resume()
            task.suspend()
        }
        #expect(isGone.hasHappened)
        #expect(source.exchanges.isEmpty)
        #expect(await base.exchange.calls.values == [.resume, .suspend, .cancel])
    }

    @Test(
        "Completions and the base data source are released after a response and after a cancel",
        arguments: [true, false])
    func memory(isAnswered: Bool) async {
        let (completionIsGone, baseIsGone) = (Event(), Event())
        do {
            let base = Tracked(token: Token(baseIsGone))
            let source = CoalescingDataSource(base)
            let token = Token(completionIsGone)
            let tasks = (0..<3).map { _ in
                source.dataTask(with: .to("http://h/a")) { _, _, _ in withExtendedLifetime(token) {} }
            }
            for task in tasks { task.resume() }
            if isAnswered { await base.base.exchange.answer() } else { for task in tasks { task.cancel() } }
            #expect(source.exchanges.isEmpty)
        }
        #expect(completionIsGone.hasHappened)
        #expect(baseIsGone.hasHappened)
    }

    /// A data source with a token that lives as long as the data source or one of its data tasks.
    private final class Tracked: SessionDataTaskDataSource {
        private struct Exchange: DataTask {
            let base: any DataTask
            let token: Token
            func resume() { base.resume() }
            func suspend() { base.suspend() }
            func cancel() { base.cancel() }
        }

        let base = ManualDataSource()
        private let token: Token

        init(token: Token) {
            self.token = token
        }

        func dataTask(
            with request: URLRequest,
            completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
        ) -> any DataTask {
            Exchange(base: base.dataTask(with: request, completion: completion), token: token)
        }
    }
}
