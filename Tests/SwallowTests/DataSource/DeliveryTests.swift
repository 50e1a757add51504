import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A delivery's decisions")
struct DeliveryTests {
    private let ending = Ending(Data("rest".utf8), nil, nil)

    private func streaming() -> Driver {
        let delivery = Driver()
        #expect(delivery.stream())
        return delivery
    }

    @Test("Without a receiver the completion is called directly, and parts are nothing")
    func plain() {
        let delivery = Driver()
        delivery.add("a")
        #expect(!delivery.takeTurn())
        #expect(delivery.end(ending)?.ending.data == Data("rest".utf8))
        #expect(delivery.end(ending) == nil)
        #expect(!delivery.stream())
    }

    @Test("Parts come in order, then the completion, and one has the turn for all of them")
    func order() {
        let delivery = streaming()
        delivery.add("a")
        #expect(delivery.takeTurn())
        #expect(!delivery.takeTurn())
        #expect(delivery.next() == "a")
        delivery.add("b")
        delivery.add("")
        #expect(delivery.end(ending) == nil)
        delivery.add("late")
        #expect(!delivery.takeTurn())
        #expect(delivery.next() == "b")
        #expect(delivery.next() == "end: rest")
        #expect(delivery.next() == nil)
        #expect(!delivery.takeTurn())
    }

    @Test("The turn is given up when nothing is due, and taken again for what comes next")
    func turns() {
        let delivery = streaming()
        for text in ["a", "b", "c"] {
            delivery.add(text)
            #expect(delivery.takeTurn())
            #expect(delivery.next() == text)
            #expect(delivery.next() == nil)
        }
    }

    @Test("While it is suspended everything is held, and nothing is lost")
    func suspended() {
        let delivery = streaming()
        delivery.add("a")
        delivery.add("b")
        #expect(delivery.takeTurn())
        #expect(delivery.next() == "a")
        delivery.suspend()
        #expect(delivery.next() == nil)
        delivery.add("c")
        #expect(delivery.end(ending) == nil)
        #expect(!delivery.takeTurn())
        #expect(delivery.resume() == nil)
        #expect(delivery.takeTurn())
        #expect(delivery.drained() == ["b", "c", "end: rest"])
    }

    @Test("A suspension from before the receiver came counts for it")
    func suspendedEarly() {
        let delivery = Driver()
        delivery.suspend()
        #expect(delivery.stream())
        delivery.add("a")
        #expect(!delivery.takeTurn())
        #expect(delivery.resume() == nil)
        #expect(delivery.takeTurn())
    }

    @Test("A failure comes at once, suspended or not, and drops what waits", arguments: [true, false])
    func failure(isSuspended: Bool) {
        let delivery = streaming()
        delivery.add("a")
        if isSuspended { delivery.suspend() }
        #expect(delivery.fail()?.ending.error is AppError)
        #expect(delivery.fail() == nil)
        #expect(!delivery.takeTurn())
        #expect(delivery.next() == nil)
        #expect(delivery.resume() == nil)
    }

    @Test("A failure waits for the call that is under way, and for nothing else", arguments: [true, false])
    func failureWithinACall(isSuspended: Bool) {
        let delivery = streaming()
        delivery.add("a")
        delivery.add("b")
        #expect(delivery.takeTurn())
        #expect(delivery.next() == "a")
        if isSuspended { delivery.suspend() }
        #expect(delivery.fail() == nil)
        delivery.suspend()
        #expect(delivery.end(ending) == nil)
        #expect(delivery.next() == "end: failure")
        #expect(delivery.next() == nil)
    }

    @Test("A failure doesn't wait for a turn that hasn't begun")
    func failureBeforeTheTurn() {
        let delivery = streaming()
        delivery.add("a")
        #expect(delivery.takeTurn())
        #expect(delivery.fail() != nil)
        #expect(delivery.next() == nil)
    }

    @Test("The first receiver stays, and none comes after the end")
    func receivers() {
        let delivery = streaming()
        #expect(!delivery.stream())
        #expect(delivery.end(ending) == nil)
        #expect(delivery.takeTurn())
        #expect(delivery.drained() == ["end: rest"])
        #expect(!delivery.stream())
    }

    @Test("It knows how many bytes wait")
    func backlog() {
        let delivery = streaming()
        for text in ["one", "two", "three"] { delivery.add(text) }
        #expect(delivery.value.backlog == 11)
        #expect(delivery.takeTurn())
        _ = delivery.next()
        #expect(delivery.value.backlog == 8)
        #expect(delivery.drained() == ["two", "three"])
        #expect(delivery.value.backlog == 0)
    }
}

/// A delivery that expectations can change, with parts as text.
private final class Driver {
    private(set) var value = Delivery { _, _, _ in }

    func stream() -> Bool { value.stream { _ in } }
    func add(_ text: String) { value.add(.bytes(Data(text.utf8))) }
    func end(_ ending: Ending) -> Completion.Call? { value.end(with: ending) }
    func fail() -> Completion.Call? { value.fail(with: AppError()) }
    func suspend() { value.suspend() }
    func resume() -> Completion.Call? { value.resume() }
    func takeTurn() -> Bool { value.takeTurn() }

    func next() -> String? {
        switch value.next() {
        case .part(.bytes(let bytes), _): String(decoding: bytes, as: UTF8.self)
        case .part(.head, _): "head"
        case .end(let call):
            call.ending.data.map { "end: " + String(decoding: $0, as: UTF8.self) } ?? "end: failure"
        case nil: nil
        }
    }

    func drained() -> [String] {
        var calls: [String] = []
        while let call = next() { calls.append(call) }
        return calls
    }
}
