import Testing

@testable import Swallow

@Suite("The queue of body parts in a sink")
struct BodyPartQueueTests {
    private let queue = Queue()

    @Test("Elements leave in the order in which they were added, however many there are")
    func order() {
        for round in 0..<4 {
            for number in 0..<100 { queue.add(100 * round + number, byteCount: 1) }
            for number in 0..<50 { #expect(queue.take().element == 50 * round + number) }
        }
        for number in 200..<400 { #expect(queue.take().element == number) }
        #expect(queue.take().element == nil)
        #expect(queue.isEmpty)
        #expect(queue.byteCount == 0)
    }

    @Test("The queue is full at 256 KB, and has room again at 64 KB, which it reports once")
    func marks() {
        for number in 1..<16 { #expect(queue.add(number, byteCount: 16 * 1024) == .more) }
        #expect(queue.add(16, byteCount: 16 * 1024) == .pause)
        #expect(queue.add(17, byteCount: 0) == .pause)
        for _ in 1..<12 { #expect(queue.take().hasRoom == false) }
        #expect(queue.byteCount == 80 * 1024)
        #expect(queue.flow == .pause)
        #expect(queue.takesWithRoom(12))
        #expect(queue.flow == .more)
        for _ in 13...18 { #expect(queue.take().hasRoom == false) }
    }

    @Test("A queue that begins paused has room when its consumer first takes an element, even if it is empty")
    func pausedFromTheStart() {
        let queue = Queue(flow: .pause)
        #expect(queue.add(1, byteCount: 1) == .pause)
        #expect(queue.takesWithRoom(1))
        #expect(queue.add(2, byteCount: 1) == .more)
        let emptyQueue = Queue(flow: .pause)
        #expect(emptyQueue.takesWithRoom(nil))
        #expect(emptyQueue.take().hasRoom == false)
    }

    @Test("The consumer is started once, and again after it found the queue empty")
    func consumer() {
        queue.add(1)
        #expect(queue.startConsumer())
        queue.add(2)
        #expect(!queue.startConsumer())
        _ = (queue.take(), queue.take())
        #expect(!queue.startConsumer())
        #expect(queue.take().element == nil)
        #expect(queue.startConsumer())
    }

    @Test("After removeAll, the queue is empty")
    func removeAll() {
        for number in 0..<3 { queue.add(number, byteCount: 100 * 1024) }
        _ = queue.take()
        #expect(queue.removeAll() == [1, 2])
        #expect(queue.isEmpty)
        #expect(queue.takesWithRoom(nil))
        #expect(queue.add(4) == .more)
    }
}

/// A queue that a test changes inside an expectation.
private final class Queue {
    private var value: BodyPartQueue<Int>

    init(flow: Flow = .more) {
        value = BodyPartQueue(flow: flow)
    }

    var isEmpty: Bool { value.isEmpty }
    var byteCount: Int { value.byteCount }
    var flow: Flow { value.flow }

    @discardableResult
    func add(_ element: Int, byteCount: Int = 0) -> Flow {
        value.add(element, byteCount: byteCount)
        return value.flow
    }

    @discardableResult
    func take() -> (element: Int?, hasRoom: Bool) { value.take() }

    func takesWithRoom(_ element: Int?) -> Bool {
        let (taken, hasRoom) = value.take()
        return taken == element && hasRoom
    }

    func startConsumer() -> Bool { value.startConsumer() }
    func removeAll() -> [Int] { value.removeAll() }
}
