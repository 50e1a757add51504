/// The queue between a transfer and the consumer of its body, which the body sink keeps under a lock.
/// It is full at 256 KB and has room again at 64 KB. An element without bytes, such as the body's end, takes no room.
struct BodyPartQueue<Element: Sendable>: Sendable {
    private let highWaterMark: Int
    private let lowWaterMark: Int
    private var elements = Queue<(element: Element, byteCount: Int)>()
    private(set) var byteCount = 0
    private(set) var flow: Flow
    private var isConsumerRunning = false

    /// `flow` is `.pause` if the transfer has to wait until the consumer takes an element for the first time.
    init(highWaterMark: Int = 256 * 1024, lowWaterMark: Int = 64 * 1024, flow: Flow = .more) {
        self.highWaterMark = highWaterMark
        self.lowWaterMark = lowWaterMark
        self.flow = flow
    }

    var isEmpty: Bool { elements.isEmpty }

    @discardableResult
    mutating func add(_ element: Element, byteCount: Int = 0) -> Flow {
        elements.append((element, byteCount))
        self.byteCount += byteCount
        if self.byteCount >= highWaterMark { flow = .pause }
        return flow
    }

    /// Returns whether the caller has to start the consumer, which then runs until it finds the queue empty.
    mutating func startConsumer() -> Bool {
        defer { isConsumerRunning = true }
        return !isConsumerRunning
    }

    /// `hasRoom` is `true` once after each pause. The consumer then reports it to the sink's owner.
    mutating func take() -> (element: Element?, hasRoom: Bool) {
        let next = elements.takeFirst()
        isConsumerRunning = next != nil
        byteCount -= next?.byteCount ?? 0
        guard flow == .pause, byteCount <= lowWaterMark else { return (next?.element, false) }
        flow = .more
        return (next?.element, true)
    }

    /// Returns the removed elements, so that the caller can release them outside the lock.
    mutating func removeAll() -> [Element] {
        byteCount = 0
        return elements.removeAll().map(\.element)
    }
}
