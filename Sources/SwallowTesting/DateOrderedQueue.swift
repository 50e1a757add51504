import Foundation

/// A priority queue of work. The earliest date comes first, and equal dates keep their insertion order.
struct DateOrderedQueue<Work: Sendable>: Sendable {
    private struct Place: Sendable, Comparable {
        let date: Date
        let id: Int

        static func < (left: Place, right: Place) -> Bool { (left.date, left.id) < (right.date, right.id) }
    }

    private var heap: [Place] = []
    private var work: [Int: Work] = [:]
    private var lastID = 0

    var count: Int { work.count }

    var dates: [Date] { heap.filter { work[$0.id] != nil }.map(\.date).sorted() }

    var first: Date? { mutating get { firstPlace?.date } }

    mutating func add(_ new: Work, date: Date) -> Int {
        lastID += 1
        work[lastID] = new
        heap.append(Place(date: date, id: lastID))
        rise(from: heap.count - 1)
        return lastID
    }

    mutating func remove(_ id: Int) -> Work? {
        let removed = work.removeValue(forKey: id)
        if heap.count > 2 * work.count + 16 {
            // A sorted array is a heap.
            heap = heap.filter { work[$0.id] != nil }.sorted()
        }
        return removed
    }

    mutating func takeFirst() -> (date: Date, work: Work)? {
        guard let place = firstPlace, let first = work.removeValue(forKey: place.id) else { return nil }
        dropFirst()
        return (place.date, first)
    }

    private var firstPlace: Place? {
        mutating get {
            while let place = heap.first, work[place.id] == nil { dropFirst() }
            return heap.first
        }
    }

    private mutating func dropFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var (index, least) = (0, 0)
        repeat {
            heap.swapAt(index, least)
            index = least
            for child in (2 * index + 1)...(2 * index + 2)
            where child < heap.count && heap[child] < heap[least] {
                least = child
            }
        } while least != index
    }

    private mutating func rise(from start: Int) {
        var index = start
        while index > 0, heap[index] < heap[(index - 1) / 2] {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }
}
