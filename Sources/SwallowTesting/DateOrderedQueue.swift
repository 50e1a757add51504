import Foundation

/// Work in the order of its dates. Equal dates keep their insertion order.
struct DateOrderedQueue<Work: Sendable>: Sendable {
    struct Place: Sendable, Comparable {
        fileprivate let date: Date
        fileprivate let number: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.date, left.number) < (right.date, right.number)
        }
    }

    private var entries: [(place: Place, work: Work)] = []
    private var lastNumber = 0

    var count: Int { entries.count }

    var dates: [Date] { entries.map(\.place.date) }

    var first: Date? { entries.first?.place.date }

    mutating func add(_ work: Work, date: Date) -> Place {
        lastNumber += 1
        let place = Place(date: date, number: lastNumber)
        entries.insert((place, work), at: index(of: place))
        return place
    }

    mutating func remove(_ place: Place) -> Work? {
        let index = index(of: place)
        guard index < entries.count, entries[index].place == place else { return nil }
        return entries.remove(at: index).work
    }

    mutating func removeFirst() -> Work { entries.removeFirst().work }

    /// Returns the index of the first entry that isn't before a place.
    private func index(of place: Place) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
