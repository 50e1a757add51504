import Foundation

/// A queue that counts its bytes: at a high mark its sender should pause, at a low mark it may go on.
package struct Backlog<Element: Sendable>: Sendable {
    private var elements: [(element: Element, byteCount: Int)?] = []
    /// The index of the next element to take.
    private var first = 0
    /// The sender should pause at `high` bytes, and may go on at `low`.
    private let marks: (high: Int, low: Int)
    /// How many bytes wait.
    package private(set) var byteCount = 0
    /// Whether the sender should pause.
    package private(set) var isFull = false

    package init(high: Int, low: Int) {
        marks = (high, low)
    }

    package var isEmpty: Bool { first == elements.count }

    /// - Returns: whether the sender should pause from now on.
    @discardableResult
    package mutating func add(_ element: Element, byteCount: Int = 0) -> Bool {
        elements.append((element, byteCount))
        self.byteCount += byteCount
        guard !isFull, self.byteCount >= marks.high else { return false }
        isFull = true
        return true
    }

    package mutating func take() -> Element? {
        guard first < elements.count, let (element, byteCount) = elements[first].take() else { return nil }
        first += 1
        if first > elements.count / 2 {
            elements.removeFirst(first)
            first = 0
        }
        self.byteCount -= byteCount
        if self.byteCount <= marks.low { isFull = false }
        return element
    }

    package mutating func removeAll() {
        (elements, first, byteCount, isFull) = ([], 0, 0, false)
    }
}

extension Backlog<Data> {
    @discardableResult
    package mutating func add(_ bytes: Data) -> Bool { add(bytes, byteCount: bytes.count) }
}
