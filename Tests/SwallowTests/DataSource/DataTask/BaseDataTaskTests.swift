import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The base data task of an adapter")
struct BaseDataTaskTests {
    private struct Receiver: ResponseReceiver {
        let recorder = PartsRecorder()

        func receive(_ part: ResponsePart) { recorder.receive(part) }
        func receive(_ result: DataTaskResult) {
            recorder.complete(result.data, result.response, result.error)
        }
    }

    /// A data source that runs a closure while it creates a data task.
    private struct Source: SessionDataTaskDataSource {
        let base = PartsDataSource()
        var onCreation: @Sendable () -> Void = {}

        func dataTask(
            with request: URLRequest,
            completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
        ) -> any DataTask {
            onCreation()
            return base.dataTask(with: request, completion: completion)
        }

        var calls: [[ManualExchange.Call]] { base.tasks.values.map(\.calls.values) }
    }

    private final class Owner: ResponseReceiver {
        let dataTask = BaseDataTask()
        private let receiver: Receiver

        init(_ receiver: Receiver) { self.receiver = receiver }

        func receive(_ part: ResponsePart) { receiver.receive(part) }
        func receive(_ result: DataTaskResult) { receiver.receive(result) }
    }

    private let receiver = Receiver()
    private let dataTask = BaseDataTask()

    private func send(to source: Source) { dataTask.send(.to("http://h/a"), to: source, for: receiver) }

    @Test("A request that is cancelled before it is sent creates no data task")
    func cancelledBefore() {
        let source = Source()
        dataTask.resume()
        dataTask.cancel()
        send(to: source)
        #expect(source.calls == [])
    }

    @Test("Calls that are made while the data task is created follow its creation")
    func whileCreated() {
        let dataTask = dataTask
        let cancelling = Source(onCreation: { dataTask.cancel() })
        dataTask.resume()
        send(to: cancelling)
        #expect(cancelling.calls == [[.cancel]])

        let other = BaseDataTask()
        let suspending = Source(onCreation: {
            other.suspend()
            other.deliverParts()
        })
        other.resume()
        other.send(.to("http://h/a"), to: suspending, for: receiver)
        #expect(suspending.calls == [[]])
        other.resume()
        #expect(suspending.calls == [[.resume]])
        #expect(suspending.base.tasks.values[0].isStreamed)
    }

    @Test(
        "The receiver receives body parts if they are requested, and one completion",
        arguments: [true, false])
    func response(inParts: Bool) {
        let source = Source()
        if inParts { dataTask.deliverParts() }
        dataTask.resume()
        send(to: source)
        let sent = source.base.tasks.values[0]
        #expect(sent.isStreamed == inParts)
        sent.give(head: 200)
        sent.give("a")
        sent.end(200, "b")
        #expect(receiver.recorder.all == (inParts ? ["200", "\"a\"", "end: b"] : ["end: b"]))
        dataTask.cancel()
        #expect(source.calls == [[.resume]])
    }

    @Test("The receiver receives nothing after a cancel")
    func cancelled() {
        let source = Source()
        dataTask.resume()
        send(to: source)
        dataTask.cancel()
        source.base.tasks.values[0].end(200, "late")
        #expect(receiver.recorder.all == [])
        #expect(source.calls == [[.resume, .cancel]])
    }

    @Test("A data task that keeps its closures is released with its owner", arguments: [true, false])
    func released(isCompleted: Bool) {
        let source = KeepingSource()
        do {
            let owner = Owner(receiver)
            owner.dataTask.deliverParts()
            owner.dataTask.resume()
            owner.dataTask.send(.to("http://h/a"), to: source, for: owner)
            let sent = source.task.withLock { $0.task }
            sent?.give("a")
            if isCompleted { sent?.complete() } else { owner.dataTask.cancel() }
        }
        #expect(source.task.withLock { $0.task } == nil)
        #expect(receiver.recorder.all == ["\"a\""] + (isCompleted ? ["end: "] : []))
    }
}

private final class KeepingSource: SessionDataTaskDataSource {
    struct Latest: Sendable {
        weak var task: KeepingTask?
    }

    let task = Lock(Latest())

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let made = KeepingTask(completion)
        task.withLock { $0.task = made }
        return made
    }
}

/// A data task that keeps its completion and its receiver, and never completes by itself.
private final class KeepingTask: DataTask {
    private let completion: @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    private let receiver = Lock<(@Sendable (ResponsePart) -> Void)?>(nil)

    init(_ completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) {
        self.completion = completion
    }

    func give(_ text: String) { receiver.withLock { $0 }?(.bytes(Data(text.utf8))) }
    func complete() { completion(nil, nil, nil) }

    func resume() {}
    func suspend() {}
    func cancel() {}
    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        self.receiver.withLock { $0 = receiver }
    }
}
