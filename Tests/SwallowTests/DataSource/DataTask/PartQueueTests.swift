import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The queue of body parts and their completion")
struct PartQueueTests {
    private func streaming() -> Driver {
        let queue = Driver()
        #expect(queue.stream())
        return queue
    }

    @Test("Without a receiver, the completion is the only call, and it has the complete body")
    func plain() {
        let queue = Driver()
        queue.add("a")
        #expect(queue.first() == nil)
        queue.end()
        #expect(!queue.stream())
        #expect(queue.first(isOwnCall: true) == "end: arest")
        queue.end()
        #expect(queue.first() == nil)
        #expect(!queue.stream())
    }

    @Test("Before the first resume(), the queue makes no call")
    func created() {
        var queue = PartQueue { _, _, _ in }
        queue.end(with: .failure(AppError()))
        #expect(queue.firstCall() == nil)
        queue.resume()
        #expect(queue.firstCall() != nil)
    }

    @Test("Body parts arrive in order, then the completion, and one thread makes all calls")
    func order() {
        let queue = streaming()
        queue.add("a")
        #expect(queue.first() == "a")
        #expect(queue.first() == nil)
        queue.add("b")
        queue.add("")
        queue.end()
        queue.add("late")
        #expect(queue.first() == nil)
        #expect(queue.next() == "b")
        #expect(queue.next() == "end: rest")
        #expect(queue.next() == nil)
        #expect(queue.first() == nil)
    }

    @Test("A thread stops when no call is due, and a later event starts the calls again")
    func turns() {
        let queue = streaming()
        for text in ["a", "b", "c"] {
            queue.add(text)
            #expect(queue.first() == text)
            #expect(queue.next() == nil)
        }
    }

    @Test("Inside a function of the task, no body part is delivered, but a call is due elsewhere")
    func ownCall() {
        let queue = streaming()
        #expect(!queue.value.hasNextCallElsewhere)
        queue.add("a")
        queue.end()
        #expect(queue.first(isOwnCall: true) == nil)
        #expect(queue.value.hasNextCallElsewhere)
        #expect(queue.first() == "a")
        #expect(!queue.value.hasNextCallElsewhere)
        #expect(queue.drained() == ["end: rest"])
    }

    @Test("A suspended queue holds all calls and loses none")
    func suspended() {
        let queue = streaming()
        queue.add("a")
        queue.add("b")
        #expect(queue.first() == "a")
        queue.suspend()
        #expect(queue.next() == nil)
        queue.add("c")
        queue.end()
        #expect(queue.first() == nil)
        queue.resume()
        #expect(queue.first() == "b")
        #expect(queue.drained() == ["c", "end: rest"])
    }

    @Test("A suspension from before the receiver was set applies to it, and also to a completion alone")
    func suspendedEarly() {
        for isStreamed in [true, false] {
            let queue = Driver()
            queue.suspend()
            if isStreamed { #expect(queue.stream()) }
            queue.end()
            #expect(queue.first() == nil)
            queue.resume()
            #expect(queue.first() == "end: rest")
        }
    }

    @Test(
        "A failure is delivered immediately, even if suspended or inside a function of the task, and drops waiting parts",
        arguments: [true, false])
    func failure(isSuspended: Bool) {
        let queue = streaming()
        queue.add("a")
        if isSuspended { queue.suspend() }
        queue.fail()
        queue.fail()
        #expect(queue.first(isOwnCall: true) == "end: failure")
        queue.fail()
        #expect(queue.first() == nil)
        #expect(queue.next() == nil)
        queue.resume()
        #expect(queue.first() == nil)
    }

    @Test("A failure replaces a completion that is held")
    func failureAfterAHeldEnd() {
        let queue = Driver()
        queue.suspend()
        queue.end()
        queue.fail()
        #expect(queue.first() == "end: failure")
    }

    @Test("A replaced completion is released with the last call, outside the lock")
    func replacedEnd() {
        var queue = PartQueue { _, _, _ in }
        let isGone = Event()
        queue.end(with: .failure(TokenError(isGone)))
        queue.fail(with: AppError())
        #expect(!isGone.hasHappened)
        let call = queue.firstCall()
        withExtendedLifetime(call) { #expect(!isGone.hasHappened) }
    }

    @Test("A failure waits only for the call that is running", arguments: [true, false])
    func failureWithinACall(isSuspended: Bool) {
        let queue = streaming()
        queue.add("a")
        queue.add("b")
        #expect(queue.first() == "a")
        if isSuspended { queue.suspend() }
        queue.fail()
        #expect(queue.first() == nil)
        queue.suspend()
        queue.end()
        #expect(queue.next() == "end: failure")
        #expect(queue.next() == nil)
    }

    @Test("A failure replaces waiting body parts")
    func failureBeforeParts() {
        let queue = streaming()
        queue.add("a")
        queue.fail()
        #expect(queue.first() == "end: failure")
        #expect(queue.next() == nil)
    }

    @Test("The first receiver stays, and none can be set after the completion")
    func receivers() {
        let queue = streaming()
        #expect(!queue.stream())
        queue.end()
        #expect(queue.first() == "end: rest")
        #expect(!queue.stream())
    }

    @Test("The queue is full at 128 KB, until half of it is taken")
    func water() {
        let queue = streaming()
        let part = String(repeating: "x", count: 32 * 1024)
        for _ in 0..<3 { queue.add(part) }
        #expect(!queue.value.isFull)
        queue.add(part)
        #expect(queue.value.isFull)
        _ = queue.first()
        #expect(queue.value.isFull)
        _ = queue.next()
        #expect(!queue.value.isFull)
        #expect(queue.drained().count == 2)
    }
}

/// A queue that expectations can change. It returns calls as text.
private final class Driver {
    private(set) var value = PartQueue { _, _, _ in }

    init() { resume() }

    /// Returns whether the receiver was taken.
    func stream() -> Bool {
        let wasStreamed = value.isStreamed
        value.stream { _ in }
        return value.isStreamed && !wasStreamed
    }

    func add(_ text: String) { value.add(.bytes(Data(text.utf8))) }
    func end() { value.end(with: DataTaskResult(Data("rest".utf8), nil, nil)) }
    func fail() { value.fail(with: AppError()) }
    func suspend() { value.suspend() }
    func resume() { value.resume() }
    func first(isOwnCall: Bool = false) -> String? { value.firstCall(isOwnCall: isOwnCall).map(text) }
    func next() -> String? { value.next().map(text) }

    private func text(_ call: PartQueue.Call) -> String {
        switch call {
        case .part(.bytes(let bytes), _, _): String(decoding: bytes, as: UTF8.self)
        case .part(.head, _, _): "head"
        case .end(let end):
            end.result.data.map { "end: " + String(decoding: $0, as: UTF8.self) } ?? "end: failure"
        }
    }

    func drained() -> [String] {
        var calls: [String] = []
        while let call = next() { calls.append(call) }
        return calls
    }
}
