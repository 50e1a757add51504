import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Coalescing and streams")
struct CoalescingStreamTests {
    private let base = PartsDataSource()

    private var sent: [PartsTask] { base.tasks.values }

    @Test("A task that streams from the start sends its own request")
    func fromTheStart() {
        let (source, streaming, shared) = (CoalescingDataSource(base), PartsRecorder(), PartsRecorder())
        let first = source.dataTask(with: .to("http://h/a"), completion: streaming.complete)
        first.stream(to: streaming.receive)
        first.resume()
        let second = source.dataTask(with: .to("http://h/a"), completion: shared.complete)
        second.resume()
        #expect(sent.count == 2)
        #expect(sent[0].isStreamed && !sent[1].isStreamed)
        sent[0].give(head: 200)
        sent[0].give("a")
        sent[0].end(200, "b")
        sent[1].end(200, "whole")
        #expect(streaming.all == ["200", "\"a\"", "end: b"])
        #expect(shared.all == ["end: whole"])
    }

    @Test("A task that starts to stream alone keeps its request, and later tasks don't join it")
    func alone() {
        let (source, streaming, shared) = (CoalescingDataSource(base), PartsRecorder(), PartsRecorder())
        let first = source.dataTask(with: .to("http://h/a"), completion: streaming.complete)
        first.resume()
        first.stream(to: streaming.receive)
        #expect(source.exchanges.isEmpty)
        let second = source.dataTask(with: .to("http://h/a"), completion: shared.complete)
        second.resume()
        #expect(sent.count == 2 && sent[0].isStreamed)
        sent[0].give(head: 200)
        sent[0].end(200, "a")
        sent[1].end(200, "whole")
        #expect(streaming.all == ["200", "end: a"])
        #expect(shared.all == ["end: whole"])
        #expect(source.exchanges.isEmpty)
    }

    @Test("A streaming task is released after it completes, and if it is dropped while suspended")
    func freed() {
        for isDropped in [true, false] {
            let source = CoalescingDataSource(base)
            weak var token: Token?
            do {
                let own = Token()
                token = own
                let task = source.dataTask(with: .to("http://h/a")) { _, _, _ in withExtendedLifetime(own) {}
                }
                task.stream { _ in withExtendedLifetime(own) {} }
                task.resume()
                if isDropped { task.suspend() }
            }
            // The base task releases its receiver.
            sent.last?.fail(URLError(.cancelled))
            #expect(token == nil)
            #expect(source.exchanges.isEmpty)
        }
    }

    private final class Token: Sendable {}

    @Test("A task that starts to stream leaves a shared request and sends its own")
    func joined() {
        let (source, streaming, shared) = (CoalescingDataSource(base), PartsRecorder(), PartsRecorder())
        let first = source.dataTask(with: .to("http://h/a"), completion: shared.complete)
        let second = source.dataTask(with: .to("http://h/a"), completion: streaming.complete)
        for task in [first, second] { task.resume() }
        #expect(sent.count == 1)
        second.stream(to: streaming.receive)
        #expect(sent.count == 2)
        #expect(!sent[0].isStreamed && sent[1].isStreamed)
        #expect(sent[0].calls.values == [.resume] && sent[1].calls.values == [.resume])
        sent[0].end(200, "whole")
        sent[1].give(head: 200)
        sent[1].end(200)
        #expect(shared.all == ["end: whole"])
        #expect(streaming.all == ["200", "end: "])
    }

    @Test("A suspended task that leaves a shared request sends nothing until it is resumed")
    func suspended() {
        let (source, streaming) = (CoalescingDataSource(base), PartsRecorder())
        let first = source.dataTask(with: .to("http://h/a")) { _, _, _ in }
        let second = source.dataTask(with: .to("http://h/a"), completion: streaming.complete)
        for task in [first, second] { task.resume() }
        second.suspend()
        second.stream(to: streaming.receive)
        #expect(sent.last?.calls.values == [])
        second.resume()
        #expect(sent.count == 2 && sent.last?.calls.values == [.resume])
        second.cancel()
        #expect(sent.last?.calls.values == [.resume, .cancel])
        #expect(streaming.all == ["end: cancelled"])
        first.cancel()
    }

    @Test("A receiver that is set after the task completes changes nothing")
    func late() {
        let (source, recorder) = (CoalescingDataSource(base), PartsRecorder())
        let task = source.dataTask(with: .to("http://h/a"), completion: recorder.complete)
        task.resume()
        sent[0].end(200, "a")
        task.stream(to: recorder.receive)
        #expect(recorder.all == ["end: a"])
        #expect(sent.count == 1)
    }
}
