/// The queue between the sender and the consumer of a body, or of the messages of a WebSocket. Elements without bytes
/// don't count toward the limits.
package struct BodyPartQueue<Element: Sendable>: Sendable {
    private let highWaterMark: Int
    private let lowWaterMark: Int
    private var elements = Queue<(element: Element, byteCount: Int)>()
    private(set) var byteCount = 0
    package private(set) var flow: Flow
    private var isConsumerRunning = false

    package init(highWaterMark: Int = 256 * 1024, lowWaterMark: Int = 64 * 1024, flow: Flow = .more) {
        self.highWaterMark = highWaterMark
        self.lowWaterMark = lowWaterMark
        self.flow = flow
    }

    package var isEmpty: Bool { elements.isEmpty }

    package mutating func add(_ element: Element, byteCount: Int = 0) {
        elements.append((element, byteCount))
        self.byteCount += byteCount
        if self.byteCount >= highWaterMark { flow = .pause }
    }

    /// Returns whether the caller must start the consumer. A running consumer stops when the queue is empty.
    mutating func startConsumer() -> Bool {
        defer { isConsumerRunning = true }
        return !isConsumerRunning
    }

    package mutating func take() -> (element: Element?, hasRoom: Bool) {
        let next = elements.takeFirst()
        isConsumerRunning = next != nil
        byteCount -= next?.byteCount ?? 0
        guard flow == .pause, byteCount <= lowWaterMark else { return (next?.element, false) }
        flow = .more
        return (next?.element, true)
    }

    /// Returns the removed elements, so that the caller can release them outside its lock.
    mutating func removeAll() -> [Element] {
        byteCount = 0
        return elements.removeAll().map(\.element)
    }
}
