struct Queue<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var first = 0

    var isEmpty: Bool { first == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func takeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[first].take()
        first += 1
        if first > elements.count / 2 {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }

    /// Removes and returns the elements, so that the caller can release them outside its lock.
    mutating func removeAll() -> [Element] {
        defer { (elements, first) = ([], 0) }
        return elements.compactMap(\.self)
    }
}
